import type { KeyObject, X509Certificate } from 'node:crypto'
import { hashOfOid, isChained, parseSignedData, readCertificate, type SignedData, signerKey } from './cms'
import { children, content, expectTag, oidOf, tags } from './der'
import { type ByteRange, FormatError, hex, type Reader } from './reader'

// UEFI Specification 2.10: 8.2.2 (EFI_VARIABLE_AUTHENTICATION_2), 32.4.1 (EFI_SIGNATURE_LIST). Little-endian.
const guids = {
  x509: 'a159c0a5e494a74a87b5ab155c2bf072',
  sha256: '2616c4c14c509240aca941f936934328',
  pkcs7: '9dd2af4adf68ee498aa9347d375665a7',
} as const
const maxListBytes = 1_048_576
const maxSignatures = 4096
const maxPeSignatures = 16
const winCertificatePkcs7 = 0x02
const winCertificateGuid = 0x0ef1

type SignatureList = { certificates: { certificate: X509Certificate; offset: number }[]; hashes: number; other: number }

const unreadable = (offset: number, length: number) =>
  new FormatError('certificate', 'A certificate of the signature list cannot be read', offset, length)

const parseLists = async (reader: Reader, start: number, limit = reader.size): Promise<SignatureList> => {
  const result: SignatureList = { certificates: [], hashes: 0, other: 0 }
  let count = 0
  if (start >= limit) throw new FormatError('esl', 'There is no signature list', start)
  for (let at = start; at < limit;) {
    const head = await reader.bytes(at, 28, 'A signature list')
    const type = head.toString('hex', 0, 16)
    const [total, headerSize, size] = [head.readUInt32LE(16), head.readUInt32LE(20), head.readUInt32LE(24)]
    const body = total - 28 - headerSize
    if (size < 17 || body < size || body % size !== 0 || total > maxListBytes || at + total > limit)
      throw new FormatError('esl', `A signature list gives ${total} bytes with signatures of ${size}`, at + 16, 12)
    for (let entry = at + 28 + headerSize; entry < at + total; entry += size) {
      if (++count > maxSignatures) throw new FormatError('esl', `There are more than ${maxSignatures} signatures`, entry)
      if (type === guids.sha256) result.hashes++
      else if (type !== guids.x509) result.other++
      else {
        const certificate = readCertificate(await reader.bytes(entry + 16, size - 16, 'A certificate'))
        if (!certificate) throw unreadable(entry + 16, size - 16)
        result.certificates.push({ certificate, offset: entry + 16 })
      }
    }
    at += total
  }
  return result
}

export type UefiVariable = {
  lists: SignatureList
  /** Null for a plain signature list (`.esl`). */
  authentication: { data: SignedData; time: Buffer; payload: ByteRange; offset: number } | null
}

const isTime = (time: Buffer) => {
  const [year, month, day] = [time.readUInt16LE(0), time.readUInt8(2), time.readUInt8(3)]
  return year >= 1900 && year <= 9999 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

/** A `.auth` file (time, certificate, signature lists) or a `.esl` file (signature lists). */
export const parseVariable = async (reader: Reader): Promise<UefiVariable> => {
  if (reader.has(0, 40)) {
    const head = await reader.bytes(0, 40, 'The variable')
    const [length, type] = [head.readUInt32LE(16), head.readUInt16LE(22)]
    if (isTime(head) && head.readUInt16LE(20) === 0x0200 && type === winCertificateGuid) {
      if (length < 24 || head.toString('hex', 24, 40) !== guids.pkcs7)
        throw new FormatError('auth', 'The certificate of the variable is no PKCS#7 signature', 16, 24)
      const data = parseSignedData(await reader.bytes(40, length - 24, 'The signature'), 40)
      const start = 16 + length
      return {
        lists: await parseLists(reader, start),
        authentication: { data, time: head.subarray(0, 16), payload: { offset: start, length: reader.size - start }, offset: 40 },
      }
    }
  }
  return { lists: await parseLists(reader, 0), authentication: null }
}

const globalVariable = Buffer.from('61dfe48bca93d211aa0d00e098032b8c', 'hex')
const imageSecurity = Buffer.from('cbb219d73a3d9645a3bcdad00e67656f', 'hex')
/** Non-volatile, boot and runtime access, time-based authenticated write. */
const attributes = 0x27

/** Who signed the variable: a trusted certificate, or one that it issued (UEFI 2.10, 8.2.2). Undefined if neither did. */
export const variableSigner = async (
  reader: Reader,
  variable: UefiVariable,
  name: 'PK' | 'KEK' | 'db' | 'dbx',
  trusted: readonly X509Certificate[],
): Promise<{ key: KeyObject; issued: X509Certificate | null } | undefined> => {
  const { authentication } = variable
  if (!authentication) return undefined
  const { data, time, payload } = authentication
  const list = await reader.bytes(payload.offset, payload.length, 'The signature list')
  const guid = name === 'PK' || name === 'KEK' ? globalVariable : imageSecurity
  const message = (append: boolean) => {
    const flags = Buffer.alloc(4)
    flags.writeUInt32LE(append ? attributes | 0x40 : attributes)
    return Buffer.concat([Buffer.from(name, 'utf16le'), guid, flags, time, list])
  }
  // The variable may be written as a whole, or appended to.
  const signerAmong = (keys: readonly KeyObject[]) =>
    signerKey(data, message(false), keys) ?? signerKey(data, message(true), keys)
  const key = signerAmong(trusted.map(({ publicKey }) => publicKey))
  if (key) return { key, issued: null }
  const chained = data.certificates.filter((it) => isChained(it, data.certificates, trusted))
  const signer = signerAmong(chained.map(({ publicKey }) => publicKey))
  const issued = signer && chained.find(({ publicKey }) => publicKey.equals(signer))
  return signer && issued && { key: signer, issued }
}

// Microsoft PE Format, and "Windows Authenticode Portable Executable Signature Format" for the ranges of the hash.
const indirectData = '1.3.6.1.4.1.311.2.1.4'

type PeImage = {
  machine: string
  isEfi: boolean
  sections: ({ name: string } & ByteRange)[]
  hashed: ByteRange[]
  signatures: { data: SignedData; offset: number; hash: string; stored: Buffer; message: Buffer }[]
}

const machines: Readonly<Record<number, string>> = {
  0x014c: 'x86',
  0x8664: 'x86-64',
  0xaa64: 'Arm64',
  0x01c2: 'Arm',
  0x5064: 'RISC-V 64',
}

const readAuthenticode = (bytes: Buffer, offset: number): PeImage['signatures'][number] => {
  const data = parseSignedData(bytes, offset)
  if (data.contentType !== indirectData || !data.content)
    throw new FormatError('authenticode', 'The signature is no Authenticode signature', offset)
  const digest = children(expectTag(data.content, tags.sequence, 'The signed content'))[1]
  const [algorithm, value] = children(expectTag(digest, tags.sequence, 'The digest'))
  const oid = oidOf(expectTag(children(expectTag(algorithm, tags.sequence, 'The digest'))[0], tags.oid, 'The digest'))
  const hash = hashOfOid(oid)
  if (!hash) throw new FormatError('authenticode', `The digest algorithm ${oid} is not supported`, offset)
  const stored = content(expectTag(value, tags.octetString, 'The digest'))
  return { data, offset, hash, stored, message: content(data.content) }
}

const untilZero = (bytes: Buffer) => bytes.toString('latin1').replace(/\0[\s\S]*$/, '')

const readSections = async (reader: Reader, head: Buffer, at: number): Promise<PeImage['sections']> => {
  const count = head.readUInt16LE(6)
  const table = await reader.bytes(at, 40 * count, 'The table of sections')
  const stringsAt = head.readUInt32LE(12) + 18 * head.readUInt32LE(16)
  const sections: PeImage['sections'] = []
  for (let n = 0; n < count; n++) {
    const entry = table.subarray(40 * n, 40 * n + 40)
    const short = untilZero(entry.subarray(0, 8))
    // "/4": a longer name, at that place in the table of strings.
    const nameAt = /^\/\d+$/.test(short) ? stringsAt + Number(short.slice(1)) : reader.size
    const long = nameAt < reader.size ? await reader.bytes(nameAt, Math.min(64, reader.size - nameAt), 'A name') : undefined
    sections.push({
      name: long ? untilZero(long) : short,
      offset: entry.readUInt32LE(20),
      // What is shorter in memory than in the file has a filling.
      length: Math.min(entry.readUInt32LE(8), entry.readUInt32LE(16)),
    })
  }
  return sections
}

export const parsePe = async (reader: Reader): Promise<PeImage> => {
  const dos = await reader.bytes(0, 64, 'The DOS header')
  if (dos.toString('latin1', 0, 2) !== 'MZ') throw new FormatError('magic', 'The file does not start with MZ', 0, 2)
  const at = dos.readUInt32LE(60)
  const head = await reader.bytes(at, 24, 'The PE header')
  if (head.toString('latin1', 0, 4) !== 'PE\0\0') throw new FormatError('magic', 'The PE signature is missing', at, 4)
  const optionalSize = head.readUInt16LE(20)
  const optionalAt = at + 24
  if (optionalSize < 96 || optionalSize > 1024)
    throw new FormatError('header', 'The optional header has no valid size', at + 20, 2)
  const optional = await reader.bytes(optionalAt, optionalSize, 'The optional header')
  const kind = optional.readUInt16LE(0)
  if (kind !== 0x10b && kind !== 0x20b)
    throw new FormatError('header', `The optional header has the magic ${hex(kind, 4)}`, optionalAt, 2)
  const directories = kind === 0x10b ? 96 : 112
  if (optionalSize < directories + 40) throw new FormatError('header', 'The header has no directory of certificates', optionalAt)
  const certificateEntry = optionalAt + directories + 32
  const [tableAt, tableSize] = [optional.readUInt32LE(directories + 32), optional.readUInt32LE(directories + 36)]
  if (tableSize > 0 && (tableAt < certificateEntry + 8 || !reader.has(tableAt, tableSize)))
    throw new FormatError('header', 'The table of certificates is not inside the file', certificateEntry, 8)
  const checksumAt = optionalAt + 64
  const end = tableSize > 0 ? tableAt : reader.size
  const hashed = [
    { offset: 0, length: checksumAt },
    { offset: checksumAt + 4, length: certificateEntry - checksumAt - 4 },
    { offset: certificateEntry + 8, length: end - certificateEntry - 8 },
  ]
  if (tableSize > 0 && tableAt + tableSize < reader.size)
    hashed.push({ offset: tableAt + tableSize, length: reader.size - tableAt - tableSize })
  const signatures: PeImage['signatures'] = []
  for (let entry = tableAt; entry + 8 < tableAt + tableSize;) {
    if (signatures.length >= maxPeSignatures)
      throw new FormatError('signatures', `The image has more than ${maxPeSignatures} signatures`, entry)
    const certificate = await reader.bytes(entry, 8, 'A certificate')
    const length = certificate.readUInt32LE(0)
    if (length < 8 || entry + length > tableAt + tableSize)
      throw new FormatError('header', 'A certificate of the table has no valid length', entry, 4)
    if (certificate.readUInt16LE(6) === winCertificatePkcs7)
      signatures.push(readAuthenticode(await reader.bytes(entry + 8, length - 8, 'A signature'), entry + 8))
    entry += Math.ceil(length / 8) * 8
  }
  const sections = await readSections(reader, head, optionalAt + optionalSize)
  const subsystem = optional.readUInt16LE(68)
  const machine = head.readUInt16LE(4)
  return {
    machine: machines[machine] ?? hex(machine, 4),
    isEfi: subsystem >= 10 && subsystem <= 13,
    sections,
    hashed,
    signatures,
  }
}

/** Files are hashed as if they were padded to a multiple of 8 (sbsign and signtool pad before they sign). */
export const verifyAuthenticode = async (
  reader: Reader,
  image: PeImage,
  signature: PeImage['signatures'][number],
): Promise<{ digest: boolean; certificate: X509Certificate | undefined }> => {
  const computed = await reader.digest(signature.hash, image.hashed, 'The image')
  const { certificates } = signature.data
  const key = signerKey(
    signature.data,
    signature.message,
    certificates.map(({ publicKey }) => publicKey),
  )
  return { digest: computed.equals(signature.stored), certificate: certificates.find(({ publicKey }) => key?.equals(publicKey)) }
}

/** Whether `certificate` is one of `trusted`, or was issued by one of them, perhaps through `others`. */
export const isTrusted = (
  certificate: X509Certificate,
  others: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
): boolean =>
  trusted.some((it) => it.raw.equals(certificate.raw) || it.publicKey.equals(certificate.publicKey)) ||
  isChained(certificate, others, trusted)

/**
 * The certificates that shim trusts beside db: one in DER, or signature lists, in the section `.vendor_cert` (shim, cert.S: two
 * sizes and two offsets from the start of the section; the second of each is of what it refuses). Undefined for other programs.
 */
export const readVendorCertificates = async (reader: Reader, { sections }: PeImage): Promise<X509Certificate[] | undefined> => {
  const section = sections.find(({ name }) => name === '.vendor_cert')
  if (!section) return undefined
  if (section.length < 16) throw new FormatError('section', 'The section .vendor_cert has less than 16 bytes', section.offset)
  const table = await reader.bytes(section.offset, 16, 'The section .vendor_cert')
  const [size, offset] = [table.readUInt32LE(0), table.readUInt32LE(8)]
  if (size === 0) return []
  if (offset < 16 || offset + size > section.length)
    throw new FormatError('section', 'The certificate of shim is not inside its section', section.offset, 16)
  const at = section.offset + offset
  const one = readCertificate(await reader.bytes(at, size, 'The certificate of shim'))
  return one ? [one] : (await parseLists(reader, at, at + size)).certificates.map(({ certificate }) => certificate)
}

/** Names of certificates that are published for tests (CVE-2024-8105, PKfail). */
export const isTestName = (certificate: X509Certificate): boolean =>
  /DO NOT (?:TRUST|SHIP)|\bTEST PK\b/i.test(`${certificate.subject}\n${certificate.issuer}`)
