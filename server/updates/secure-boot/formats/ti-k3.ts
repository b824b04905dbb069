import type { X509Certificate } from 'node:crypto'
import { hashOfOid, readCertificate } from './cms'
import { children, content, type Der, expectTag, numberOf, oidOf, readDer, tags } from './der'
import { FormatError, type Reader } from './reader'

// Texas Instruments K3: an X.509 certificate, then the image. U-Boot tools/binman/btool/openssl.py (x509_cert_rom,
// x509_cert_rom_combined, x509_cert_sysfw) has the extensions.
const arc = '1.3.6.1.4.1.294.1.'
const [bootSequence, imageIntegrity, softwareRevision, extendedBoot, debug] = ['1', '2', '3', '9', '8'].map((it) => arc + it)
const [systemIntegrity] = [`${arc}34`]
const maxCertificateBytes = 65_536

export type K3Image = {
  certificate: X509Certificate
  length: number
  softwareRevision: number | null
  /** Each part of the image with its hash in the certificate. */
  parts: { offset: number; length: number; hash: string; stored: Buffer }[]
  opensDebug: boolean
}

const values = (der: Der) => children(readDer(content(der), 0, der.end - der.start, der.base + der.start))

const extensionsOf = (certificate: Der): Map<string, Der> => {
  const [body] = children(certificate)
  const explicit = children(expectTag(body, tags.sequence, 'The body of the certificate')).find(({ tag }) => tag === 0xa3)
  const list = explicit ? children(expectTag(children(explicit)[0], tags.sequence, 'The extensions')) : []
  return new Map(
    list.map((it) => {
      const parts = children(it)
      return [oidOf(expectTag(parts[0], tags.oid, 'An extension')), expectTag(parts.at(-1), tags.octetString, 'An extension')]
    }),
  )
}

const hashOf = (der: Der | undefined, offset: number) => {
  const hash = der?.tag === tags.oid ? hashOfOid(oidOf(der)) : undefined
  if (!hash) throw new FormatError('hash', 'The hash algorithm of the image is not known', offset)
  return hash
}
const number = (der: Der | undefined, what: string, offset: number) => {
  const value = der ? numberOf(der) : null
  if (value === null) throw new FormatError('extension', `${what} is no number`, offset)
  return value
}
const octets = (der: Der | undefined) => content(expectTag(der, tags.octetString, 'A hash'))

const partsOf = (extensions: Map<string, Der>, at: number, start: number): K3Image['parts'] => {
  const extended = extensions.get(extendedBoot ?? '')
  if (extended) {
    let offset = start
    return values(extended)
      .slice(2)
      .filter(({ tag }) => tag === tags.sequence)
      .map((it) => {
        const [, , , , size, oid, hash] = children(it)
        const length = number(size, 'The size of a component', at)
        const part = { offset, length, hash: hashOf(oid, at), stored: octets(hash) }
        offset += length
        return part
      })
  }
  const rom = extensions.get(imageIntegrity ?? '')
  const sequence = extensions.get(bootSequence ?? '')
  if (rom && sequence) {
    const [oid, hash] = values(rom)
    return [
      { offset: start, length: number(values(sequence)[4], 'The image size', at), hash: hashOf(oid, at), stored: octets(hash) },
    ]
  }
  const system = extensions.get(systemIntegrity)
  if (!system) return []
  const [oid, hash, size] = values(system)
  return [{ offset: start, length: number(size, 'The image size', at), hash: hashOf(oid, at), stored: octets(hash) }]
}

export const startsWithCertificate = async (reader: Reader, at: number): Promise<boolean> =>
  reader.has(at, 4) && (await reader.bytes(at, 2, 'The certificate')).readUInt16BE() === 0x30_82

export const parseK3 = async (reader: Reader, at = 0): Promise<K3Image> => {
  if (!(await startsWithCertificate(reader, at)))
    throw new FormatError('magic', 'The image does not start with an X.509 certificate (0x30 0x82)', at, 2)
  const length = 4 + (await reader.bytes(at + 2, 2, 'The certificate')).readUInt16BE()
  if (length > maxCertificateBytes) throw new FormatError('certificate', 'The certificate is too long', at, 4)
  const bytes = await reader.bytes(at, length, 'The certificate')
  const certificate = readCertificate(bytes)
  if (!certificate) throw new FormatError('certificate', 'The X.509 certificate at the start cannot be read', at, length)
  const extensions = extensionsOf(expectTag(readDer(bytes, 0, length, at), tags.sequence, 'The certificate'))
  const revision = extensions.get(softwareRevision ?? '')
  const debugging = extensions.get(debug ?? '')
  return {
    certificate,
    length,
    softwareRevision: revision ? number(values(revision)[0], 'SWREV', at) : null,
    parts: partsOf(extensions, at, at + length),
    opensDebug: debugging ? (numberOf(values(debugging)[1] ?? debugging) ?? 0) >= 4 : false,
  }
}
