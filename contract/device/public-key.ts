import { enums, type Infer, object } from 'superstruct'
import { pattern } from '../core/rules'
import { Sha256 } from '../core/shapes'
import { type Bytes, concat, fromBase64, hex, sha256, toBase64 } from './bytes'
import { decompress } from './p256'
import { pointOfP256 } from './p256-spki'

export const keyAlgorithms = ['ed25519', 'ecdsa-p256'] as const
export const KeyAlgorithm = enums(keyAlgorithms)
export type KeyAlgorithm = Infer<typeof KeyAlgorithm>

/** A verification key in device.json: the raw public key (32, 33 or 65 bytes) in base 64. */
export const PublicKey = object({
  algorithm: KeyAlgorithm,
  public_key: pattern('base64', /^[A-Za-z0-9+/]{43,88}={0,2}$/, 'Public key must be base 64 of the raw key'),
  fingerprint: Sha256,
})
export type PublicKey = Infer<typeof PublicKey>

const fromHex = (text: string): Bytes => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))

/** RFC 8410 and RFC 5480: the bytes before the raw key in a SubjectPublicKeyInfo. */
const spkiHead: Record<KeyAlgorithm, Bytes> = {
  ed25519: fromHex('302a300506032b6570032100'),
  'ecdsa-p256': fromHex('3059301306072a8648ce3d020106082a8648ce3d030107034200'),
}

/** Points of small order: anyone can forge signatures for them, so they are refused as keys. Sign bit cleared. */
const weak = new Set([
  '00'.repeat(32),
  `01${'00'.repeat(31)}`,
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  `ec${'ff'.repeat(30)}7f`,
  `ed${'ff'.repeat(30)}7f`,
  `ee${'ff'.repeat(30)}7f`,
])

const isWeak = (raw: Uint8Array) =>
  weak.has(hex(raw).replace(/..$/, (last) => hex(Uint8Array.of(Number.parseInt(last, 16) & 0x7f))))

/** The raw key in the form for WebCrypto, or null if it is not a key of the algorithm. */
const rawOf = (algorithm: KeyAlgorithm, bytes: Bytes | null): Bytes | null => {
  if (!bytes) return null
  if (algorithm === 'ed25519') return bytes.length === 32 && !isWeak(bytes) ? bytes : null
  return bytes.length === 33 ? decompress(bytes) : bytes.length === 65 && bytes[0] === 4 ? bytes : null
}

export const importParameters = { ed25519: { name: 'Ed25519' }, 'ecdsa-p256': { name: 'ECDSA', namedCurve: 'P-256' } } as const

/** The key for WebCrypto; null if the bytes are no point of the curve. */
export const importPublicKey = async (key: Pick<PublicKey, 'algorithm' | 'public_key'>): Promise<CryptoKey | null> => {
  const raw = rawOf(key.algorithm, fromBase64(key.public_key))
  return raw && crypto.subtle.importKey('raw', raw, importParameters[key.algorithm], true, ['verify']).catch(() => null)
}

/** The SubjectPublicKeyInfo of a raw key (points uncompressed), or null. */
const spkiOf = (key: Pick<PublicKey, 'algorithm' | 'public_key'>): Bytes | null => {
  const raw = rawOf(key.algorithm, fromBase64(key.public_key))
  return raw && concat(spkiHead[key.algorithm], raw)
}

/** The key id: SHA-256 of the SPKI in lower-case hex, so both encodings of a P-256 key have one id. */
export const fingerprintOf = async (key: Pick<PublicKey, 'algorithm' | 'public_key'>): Promise<string | null> => {
  const spki = spkiOf(key)
  return spki && sha256(spki)
}

const rawFromSpki = (spki: Uint8Array): { algorithm: KeyAlgorithm; raw: Bytes | null } => {
  const head = spkiHead.ed25519
  if (hex(spki.subarray(0, head.length)) === hex(head))
    return { algorithm: 'ed25519', raw: rawOf('ed25519', concat(spki.subarray(head.length))) }
  const point = pointOfP256(spki)
  return { algorithm: 'ecdsa-p256', raw: rawOf('ecdsa-p256', point && concat(point)) }
}

/**
 * Reads a SubjectPublicKeyInfo (DER); null for another algorithm, another curve or trailing bytes. A P-256 key may be compressed and
 * may spell out its curve: what is returned has neither form, so that it has one id.
 */
export const publicKeyFromSpki = async (spki: Uint8Array): Promise<PublicKey | null> => {
  const { algorithm, raw } = rawFromSpki(spki)
  if (!raw) return null
  const key = { algorithm, public_key: toBase64(raw) }
  if (!(await importPublicKey(key))) return null
  return { ...key, fingerprint: await sha256(concat(spkiHead[algorithm], raw)) }
}

const pemForm = /^-----BEGIN PUBLIC KEY-----\s([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----$/

/** Reads a PEM `PUBLIC KEY` block of one of the algorithms; null for anything else, a private key included. */
export const publicKeyFromPem = async (pem: string): Promise<PublicKey | null> => {
  const spki = fromBase64(pemForm.exec(pem.trim())?.[1]?.replace(/\s/g, '') ?? '!')
  return spki && publicKeyFromSpki(spki)
}

export const pem = (label: 'PUBLIC KEY' | 'PRIVATE KEY', der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${toBase64(der).replace(/.{1,64}/g, '$&\n')}-----END ${label}-----\n`

export const pemOf = (key: PublicKey): string => pem('PUBLIC KEY', spkiOf(key) ?? new Uint8Array())
