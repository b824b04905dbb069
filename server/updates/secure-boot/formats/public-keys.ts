import { constants, createHash, createPublicKey, createVerify, type KeyObject, verify, X509Certificate } from 'node:crypto'
import type { ByteRange, Reader } from './reader'

/** Object identifiers of curves (RFC 5480, RFC 5639) in DER, and the bytes of a coordinate. */
const curves = {
  'P-192': { oid: '06082a8648ce3d030101', bytes: 24 },
  'P-256': { oid: '06082a8648ce3d030107', bytes: 32 },
  'P-384': { oid: '06052b81040022', bytes: 48 },
  'P-521': { oid: '06052b81040023', bytes: 66 },
  brainpoolP256r1: { oid: '06092b2403030208010107', bytes: 32 },
} as const
export type Curve = keyof typeof curves

const sequence = (tag: number, ...parts: Buffer[]) => {
  const body = Buffer.concat(parts)
  const length =
    body.length < 128 ? [body.length] : body.length < 256 ? [0x81, body.length] : [0x82, body.length >> 8, body.length & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}

/** Numbers of little-endian formats. */
export const reversed = (bytes: Buffer): Buffer => Buffer.from(bytes.toReversed())

const tryKey = (make: () => KeyObject): KeyObject | null => {
  try {
    return make()
  } catch {
    return null
  }
}

/** An elliptic key has several encodings: with its point compressed, with its curve spelled out. Its hash is of one of them. */
export const canonicalKey = (key: KeyObject): KeyObject =>
  (key.asymmetricKeyType === 'ec' && tryKey(() => createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }))) || key

/** The key of a point (RFC 5480); null if it is not on the curve. */
export const ecKey = (curve: Curve, x: Buffer, y: Buffer): KeyObject | null => {
  const { oid, bytes } = curves[curve]
  if (x.length !== bytes || y.length !== bytes) return null
  const algorithm = sequence(0x30, Buffer.from('06072a8648ce3d0201', 'hex'), Buffer.from(oid, 'hex'))
  const spki = sequence(0x30, algorithm, sequence(0x03, Buffer.from([0, 4]), x, y))
  return tryKey(() => createPublicKey({ key: spki, format: 'der', type: 'spki' }))
}

/** Both numbers big-endian. Null if the modulus has more than 8192 bits. */
export const rsaKey = (modulus: Buffer, exponent: Buffer): KeyObject | null => {
  if (modulus.length < 64 || modulus.length > 1024 || exponent.length === 0 || exponent.length > 8) return null
  const key = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') }
  return tryKey(() => createPublicKey({ key, format: 'jwk' }))
}

const privateForm = /PRIVATE KEY/

const pemBlocks = (text: string) =>
  text.match(/-----BEGIN ([A-Z0-9 ]{1,40})-----[A-Za-z0-9+/=\s]{1,20000}-----END \1-----/g) ?? []

const tryCertificate = (text: string | Buffer): X509Certificate | null => {
  try {
    return new X509Certificate(text)
  } catch {
    return null
  }
}

/** The certificates of PEM text, or the one in DER. */
export const readCertificates = (bytes: Buffer): X509Certificate[] => {
  const blocks = pemBlocks(bytes.toString('latin1'))
  const forms = blocks.length > 0 ? blocks.filter((pem) => pem.includes('CERTIFICATE')) : [bytes]
  return forms.flatMap((form) => tryCertificate(form) ?? [])
}

/** The keys of PEM text, of a DER SubjectPublicKeyInfo, of a PKCS#1 public key or of a certificate. Never a private key. */
export const readPublicKeys = (bytes: Buffer): KeyObject[] => {
  const text = bytes.toString('latin1')
  if (privateForm.test(text)) return []
  const blocks = pemBlocks(text)
  if (blocks.length > 0)
    return blocks
      .flatMap(
        (pem) => tryKey(() => (pem.includes('CERTIFICATE') ? new X509Certificate(pem).publicKey : createPublicKey(pem))) ?? [],
      )
      .map(canonicalKey)
  const forms = [
    () => createPublicKey({ key: bytes, format: 'der', type: 'spki' }),
    () => createPublicKey({ key: bytes, format: 'der', type: 'pkcs1' }),
    () => new X509Certificate(bytes).publicKey,
  ]
  for (const form of forms) {
    const key = tryKey(form)
    if (key?.type === 'public') return [canonicalKey(key)]
  }
  return []
}

const spkiOf = (key: KeyObject): Buffer => canonicalKey(key).export({ type: 'spki', format: 'der' })

/** SHA-256 of the SubjectPublicKeyInfo, in hex: the fingerprint of signing keys everywhere in the project. */
export const fingerprintOf = (key: KeyObject): string => createHash('sha256').update(spkiOf(key)).digest('hex')

export const algorithmOf = (key: KeyObject): string => {
  const details = key.asymmetricKeyDetails
  if (key.asymmetricKeyType === 'rsa') return `rsa-${details?.modulusLength ?? 0}`
  return key.asymmetricKeyType === 'ec' ? `ecdsa-${details?.namedCurve ?? 'unknown'}` : String(key.asymmetricKeyType)
}

export type SignatureForm = 'pkcs1' | 'pss' | 'ecdsa-der' | 'ecdsa-raw'

const options = (key: KeyObject, form: SignatureForm) => ({
  key,
  ...(form === 'pss' && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }),
  ...(form === 'ecdsa-raw' && { dsaEncoding: 'ieee-p1363' as const }),
})

const fits = (key: KeyObject, form: SignatureForm) =>
  key.asymmetricKeyType === (form === 'pkcs1' || form === 'pss' ? 'rsa' : 'ec')

const orFalse = (check: () => boolean) => {
  try {
    return check()
  } catch {
    return false
  }
}

type Signed = { key: KeyObject; form: SignatureForm; hash: string; signature: Buffer }

export const verifyBytes = ({ key, form, hash, signature }: Signed, data: Buffer): boolean =>
  fits(key, form) && orFalse(() => verify(hash, data, options(key, form), signature))

export const verifyEd25519 = (key: KeyObject, data: Buffer, signature: Buffer): boolean =>
  key.asymmetricKeyType === 'ed25519' && orFalse(() => verify(null, data, key, signature))

/** Over ranges of any size, in chunks. */
export const verifyRanges = async (
  { key, form, hash, signature }: Signed,
  reader: Reader,
  ranges: readonly ByteRange[],
): Promise<boolean> => {
  if (!fits(key, form)) return false
  const verifier = createVerify(hash)
  for await (const chunk of reader.chunks(ranges, 'The signed data')) verifier.update(chunk)
  return orFalse(() => verifier.verify(options(key, form), signature))
}
