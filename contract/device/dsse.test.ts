import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, sign as signWithNode, verify as verifyWithNode } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { concat, fromBase64, fromUtf8, hex, toBase64, utf8 } from './bytes'
import { isSignatureOf, preAuthentication, sign } from './dsse'
import { bytesToSign, manifestBytes, payloadType } from './manifest'
import { aManifest } from './manifest.fixture'
import { generateSigningKey, signingKeyFromPem } from './private-key'
import { fingerprintOf as fingerprintOfKey } from '../../server/updates/secure-boot/formats/public-keys'
import { fingerprintOf, pemOf, publicKeyFromPem, publicKeyFromSpki } from './public-key'

const bytes32 = (value: bigint) =>
  Uint8Array.from(value.toString(16).padStart(64, '0').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

describe('DSSE v1', () => {
  const type = 'http://example.com/HelloWorld'

  it('encodes type and payload with their lengths in bytes', () => {
    expect(fromUtf8(preAuthentication(type, utf8('hello world')))).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world')
    expect(fromUtf8(preAuthentication('ü', utf8('ß')))).toBe('DSSEv1 2 ü 2 ß')
  })

  it('takes the signature of the protocol text', async () => {
    const x = 46950820868899156662930047687818585632848591499744589407958293238635476079160n
    const y = 5640078356564379163099075877009565129882514886557779369047442380624545832820n
    const signature = fromBase64('A3JqsQGtVsJ2O2xqrI5IcnXip5GToJ3F+FnZ+O88SjtR6rDAajabZKciJTfUiHqJPcIAriEGAHTVeCUjW2JIZA==')!
    const key = {
      algorithm: 'ecdsa-p256',
      public_key: toBase64(concat(Uint8Array.of(4), bytes32(x), bytes32(y))),
      fingerprint: '',
    } as const
    expect(await isSignatureOf(key, type, utf8('hello world'), signature)).toBe(true)
    expect(await isSignatureOf(key, type, utf8('hello worle'), signature)).toBe(false)
  })

  it.each(['ed25519', 'ecdsa-p256'] as const)('agrees with OpenSSL on %s', async (algorithm) => {
    const ours = await generateSigningKey(algorithm)
    const payload = manifestBytes(aManifest())
    const { signature } = await sign(ours, payloadType, payload)
    const publicKey = createPublicKey(pemOf(ours.publicKey))
    const digest = algorithm === 'ed25519' ? null : 'sha256'
    expect(verifyWithNode(digest, bytesToSign(payload), { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true)
    const spki = publicKey.export({ type: 'spki', format: 'der' })
    expect(ours.publicKey.fingerprint).toBe(createHash('sha256').update(spki).digest('hex'))
  })
})

describe('keys', () => {
  it('reads the keys that OpenSSL writes, both halves', async () => {
    for (const made of [generateKeyPairSync('ed25519'), generateKeyPairSync('ec', { namedCurve: 'P-256' })]) {
      const publicPem = made.publicKey.export({ type: 'spki', format: 'pem' }) as string
      const key = await signingKeyFromPem(made.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
      const publicKey = await publicKeyFromPem(publicPem)
      expect(key?.publicKey).toEqual(publicKey)
      expect(pemOf(publicKey!)).toBe(publicPem)
      const digest = publicKey?.algorithm === 'ed25519' ? null : 'sha256'
      const signature = signWithNode(digest, preAuthentication('t', utf8('p')), {
        key: made.privateKey,
        dsaEncoding: 'ieee-p1363',
      })
      expect(await isSignatureOf(publicKey!, 't', utf8('p'), new Uint8Array(signature))).toBe(true)
    }
  })

  it('gives a compressed P-256 key the id of the uncompressed one', async () => {
    for (let round = 0; round < 20; round++) {
      const { publicKey } = await generateSigningKey('ecdsa-p256')
      const raw = fromBase64(publicKey.public_key)!
      const compressed = concat(Uint8Array.of(2 + (raw[64]! & 1)), raw.subarray(1, 33))
      expect(await fingerprintOf({ algorithm: 'ecdsa-p256', public_key: toBase64(compressed) })).toBe(publicKey.fingerprint)
    }
  })

  const forms = [
    ['compressed', ['-conv_form', 'compressed']],
    ['with its curve spelled out', ['-param_enc', 'explicit']],
    ['compressed with its curve spelled out', ['-conv_form', 'compressed', '-param_enc', 'explicit']],
  ] as const
  it.each(forms)('reads a P-256 key %s, both halves, as the same key', async (_, form) => {
    for (let round = 0; round < 3; round++) {
      const { publicKey, privateKeyPem } = await generateSigningKey('ecdsa-p256')
      const openssl = (input: string, ...more: string[]) =>
        execFileSync('openssl', ['ec', ...more, ...form], { input, stdio: ['pipe', 'pipe', 'ignore'] }).toString()
      const written = openssl(privateKeyPem, '-pubout')
      expect(written).not.toBe(pemOf(publicKey))
      expect(await publicKeyFromPem(written)).toEqual(publicKey)
      expect(fingerprintOfKey(createPublicKey(written))).toBe(publicKey.fingerprint)
      const pkcs8 = execFileSync('openssl', ['pkcs8', '-topk8', '-nocrypt'], { input: openssl(privateKeyPem) }).toString()
      expect((await signingKeyFromPem(pkcs8))?.publicKey).toEqual(publicKey)
    }
  })

  it('refuses a key of a curve that differs from P-256 in one byte, or that is another one', async () => {
    const { publicKey } = await generateSigningKey('ecdsa-p256')
    const input = pemOf(publicKey)
    const der = execFileSync('openssl', ['ec', '-pubin', '-param_enc', 'explicit', '-pubout', '-outform', 'DER'], {
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    expect(await publicKeyFromSpki(new Uint8Array(der))).toEqual(publicKey)
    // The seed says how the curve was made, and nothing about it; the last 65 bytes are the key.
    const seedAt = der.indexOf(Buffer.from('c49d360886e704936a6678e1139d26b7819f7e90', 'hex'))
    for (let at = 0; at < der.length - 64; at++) {
      if (at >= seedAt - 1 && at < seedAt + 20) continue
      const changed = new Uint8Array(der)
      changed[at] = (changed[at] ?? 0) ^ 0x40
      expect(await publicKeyFromSpki(changed), `byte ${at}`).toBeNull()
    }
    for (const namedCurve of ['P-384', 'secp256k1'])
      for (const paramEncoding of ['named', 'explicit'] as const) {
        const other = generateKeyPairSync('ec', { namedCurve, paramEncoding })
        expect(await publicKeyFromPem(other.publicKey.export({ type: 'spki', format: 'pem' }) as string)).toBeNull()
        expect(await signingKeyFromPem(other.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)).toBeNull()
      }
  })

  it.each([
    ['too short', 'ed25519', new Uint8Array(31).fill(7)],
    ['of small order', 'ed25519', Uint8Array.of(1, ...new Uint8Array(31))],
    ['of small order with the sign bit', 'ed25519', Uint8Array.of(0xec, ...new Uint8Array(30).fill(0xff), 0xff)],
    ['not on the curve', 'ecdsa-p256', Uint8Array.of(4, ...new Uint8Array(64).fill(1))],
    ['compressed and not on the curve', 'ecdsa-p256', Uint8Array.of(2, ...new Uint8Array(31), 1)],
    ['in hybrid form', 'ecdsa-p256', Uint8Array.of(6, ...new Uint8Array(64).fill(1))],
  ] as const)('refuses a key %s', async (_, algorithm, raw) => {
    const key = { algorithm, public_key: toBase64(raw), fingerprint: 'a'.repeat(64) }
    expect(await isSignatureOf(key, 't', utf8('p'), new Uint8Array(64))).toBe(false)
  })

  it('refuses a private key where a public one belongs, and the other way round', async () => {
    const { privateKeyPem, publicKey } = await generateSigningKey('ed25519')
    expect(await publicKeyFromPem(privateKeyPem)).toBeNull()
    expect(await signingKeyFromPem(pemOf(publicKey))).toBeNull()
    expect(await publicKeyFromPem(pemOf(publicKey).replace('M', '!'))).toBeNull()
  })

  it('refuses bytes after the key', async () => {
    const { publicKey } = await generateSigningKey('ed25519')
    const spki = createPublicKey(pemOf(publicKey)).export({ type: 'spki', format: 'der' })
    expect(await publicKeyFromSpki(new Uint8Array(spki))).toEqual(publicKey)
    expect(await publicKeyFromSpki(new Uint8Array([...spki, 0]))).toBeNull()
  })
})

describe('base 64', () => {
  it('has one spelling for each byte string', () => {
    expect(fromBase64('AAE=')).toEqual(Uint8Array.of(0, 1))
    for (const text of ['AAE', 'AAF=', 'AA E=', 'AA-_', 'A===', '=', 'AAE=AAE=']) expect(fromBase64(text)).toBeNull()
    const every = Uint8Array.from({ length: 256 }, (_, at) => at)
    expect(hex(fromBase64(toBase64(every))!)).toBe(hex(every))
  })
})
