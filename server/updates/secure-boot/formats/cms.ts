import { createHash, type KeyObject, X509Certificate } from 'node:crypto'
import { children, content, type Der, expectTag, oidOf, readDer, tags, whole } from './der'
import { verifyBytes, verifyRanges } from './public-keys'
import { type ByteRange, FormatError, type Reader } from './reader'

// CMS SignedData: RFC 5652, 5.1 to 5.4. Authenticode and UEFI variables use the same structure (PKCS#7, RFC 2315).
const signedDataOid = '1.2.840.113549.1.7.2'
const messageDigestOid = '1.2.840.113549.1.9.4'
const hashes: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
const maxCertificates = 16

export const hashOfOid = (oid: string): string | undefined => hashes[oid]

type Signer = {
  hash: string
  /** The attributes with the tag of a SET, as they are signed; null if the content itself is signed. */
  attributes: Buffer | null
  messageDigest: Buffer | null
  signature: Buffer
}
export type SignedData = { contentType: string; content: Der | null; certificates: X509Certificate[]; signer: Signer }

export const readCertificate = (der: Buffer): X509Certificate | null => {
  try {
    const certificate = new X509Certificate(der)
    // The key is decoded when it is read: that throws for a damaged one.
    return certificate.publicKey.type === 'public' ? certificate : null
  } catch {
    return null
  }
}

/** The name of its owner in one line. A certificate may have none. */
export const subjectOf = (certificate: X509Certificate): string =>
  ((certificate.subject as string | undefined) ?? '').replaceAll('\n', ', ')

const isIssued = (certificate: X509Certificate, issuer: X509Certificate) => {
  try {
    return issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
  } catch {
    return false
  }
}

/** Whether a trusted certificate issued this one, itself or through `others`, which come with the signature. */
export const isChained = (
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
): boolean => {
  const left = new Set(others)
  const waiting = [certificate]
  for (let one = waiting.pop(); one; one = waiting.pop()) {
    const current = one
    if (trusted.some((issuer) => isIssued(current, issuer))) return true
    for (const issuer of left)
      if (isIssued(current, issuer)) {
        left.delete(issuer)
        waiting.push(issuer)
      }
  }
  return false
}

const isTagged = (der: Der | undefined, number: number) => der?.tag === 0xa0 + number

const readSigner = (der: Der): Signer => {
  const [, , digestAlgorithm, ...rest] = children(expectTag(der, tags.sequence, 'The signer'))
  const oid = oidOf(expectTag(children(expectTag(digestAlgorithm, tags.sequence, 'The digest'))[0], tags.oid, 'The digest'))
  const hash = hashes[oid]
  if (!hash) throw new FormatError('cms_digest', `The digest algorithm ${oid} is not supported`, der.base + der.at)
  const signed = isTagged(rest[0], 0) ? rest.shift() : undefined
  const signature = content(expectTag(rest[1], tags.octetString, 'The signature'))
  if (!signed) return { hash, attributes: null, messageDigest: null, signature }
  const attributes = Buffer.from(whole(signed))
  attributes.writeUInt8(tags.set, 0)
  const found = children(signed).find((it) => {
    const [type] = children(it)
    return type?.tag === tags.oid && oidOf(type) === messageDigestOid
  })
  const value = found && children(expectTag(children(found)[1], tags.set, 'The message digest'))[0]
  return { hash, attributes, messageDigest: content(expectTag(value, tags.octetString, 'The message digest')), signature }
}

/** The first signer of a SignedData, with or without its ContentInfo. `base`: where `bytes` start in the file. */
export const parseSignedData = (bytes: Buffer, base = 0): SignedData => {
  const outer = expectTag(readDer(bytes, 0, bytes.length, base), tags.sequence, 'The signature')
  const [first, second] = children(outer)
  if (first?.tag === tags.oid && (oidOf(first) !== signedDataOid || !isTagged(second, 0)))
    throw new FormatError('cms', 'The signature is no CMS SignedData', base)
  const data = first?.tag === tags.oid && second ? expectTag(children(second)[0], tags.sequence, 'SignedData') : outer
  const [, , encapsulated, ...rest] = children(data)
  const [type, explicit] = children(expectTag(encapsulated, tags.sequence, 'The content'))
  const contentType = oidOf(expectTag(type, tags.oid, 'The content type'))
  const certificates = rest.find((it) => isTagged(it, 0))
  const listed = certificates ? children(certificates) : []
  if (listed.length > maxCertificates)
    throw new FormatError('cms', `The signature has ${listed.length} certificates, at most ${maxCertificates} are read`, base)
  const signer = expectTag(rest.at(-1), tags.set, 'The signers')
  const [signerInfo] = children(signer)
  if (!signerInfo) throw new FormatError('cms', 'There is no signer', base + signer.at)
  return {
    contentType,
    content: explicit ? (children(explicit)[0] ?? null) : null,
    certificates: listed.flatMap((it) => readCertificate(Buffer.from(whole(it))) ?? []),
    signer: readSigner(signerInfo),
  }
}

const formOf = (key: KeyObject) => (key.asymmetricKeyType === 'ec' ? 'ecdsa-der' : 'pkcs1')
const isSignedBy = (key: KeyObject, { hash, signature }: Signer, message: Buffer) =>
  verifyBytes({ key, form: formOf(key), hash, signature }, message)

/** The key among `keys` that made the signature over `message`; undefined if none did or the digest differs. */
export const signerKey = ({ signer }: SignedData, message: Buffer, keys: readonly KeyObject[]): KeyObject | undefined => {
  const { attributes, hash, messageDigest } = signer
  if (!attributes) return keys.find((key) => isSignedBy(key, signer, message))
  if (!messageDigest || !createHash(hash).update(message).digest().equals(messageDigest)) return undefined
  return keys.find((key) => isSignedBy(key, signer, attributes))
}

/** Like `signerKey`, over parts of a file of any size. */
export const signerKeyOfRanges = async (
  { signer }: SignedData,
  reader: Reader,
  ranges: readonly ByteRange[],
  keys: readonly KeyObject[],
): Promise<KeyObject | undefined> => {
  const { attributes, hash, messageDigest, signature } = signer
  if (attributes) {
    const digest = await reader.digest(hash, ranges, 'The signed data')
    return messageDigest?.equals(digest) ? keys.find((key) => isSignedBy(key, signer, attributes)) : undefined
  }
  for (const key of keys) if (await verifyRanges({ key, form: formOf(key), hash, signature }, reader, ranges)) return key
  return undefined
}
