import { createHash, type KeyObject, type X509Certificate } from 'node:crypto'
import { parseSignedData, readCertificate, signerKey, signerKeyOfRanges } from './cms'
import { type Curve, ecKey, rsaKey } from './public-keys'
import { type ByteRange, FormatError, hex, type Reader } from './reader'

// NXP High Assurance Boot, version 4: SPSDK spsdk/image/hab (hab_header.py, hab_srk.py, segments/seg_ivt.py, commands), U-Boot
// doc/imx/habv4. Headers are a tag, a length (big-endian) and a parameter; commands are big-endian, the IVT little-endian.
const tags = {
  ivt: 0xd1,
  csf: 0xd4,
  srkTable: 0xd7,
  signature: 0xd8,
  key: 0xe1,
  keyHash: 0xee,
  installKey: 0xbe,
  authenticate: 0xca,
}
const ivtBytes = 32
const searchBytes = 4_194_304
const maxCsfBytes = 65_536
const certificateFormats = { srk: 0x03, x509: 0x09 }
const signatureFormats = { cms: 0xc5, aead: 0xa3 }
const curves: Readonly<Record<number, Curve>> = { 0x4b: 'P-256', 0x4d: 'P-384', 0x4e: 'P-521' }

type SrkTable = {
  offset: number
  bytes: Buffer
  /** Of each entry its hash, and its key where the table has it. */
  entries: { hash: Buffer; key: KeyObject | null; algorithm: string }[]
  /** The value for the fuses: SHA-256 over the hashes of the entries. */
  fuses: Buffer
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

const readSrk = (entry: Buffer, offset: number): SrkTable['entries'][number] => {
  if (entry.readUInt8(0) === tags.keyHash) {
    if (entry.length !== 36) throw new FormatError('entry', 'A key hash of the SRK table has no 32 bytes', offset, entry.length)
    return { hash: entry.subarray(4), key: null, algorithm: 'hash' }
  }
  if (entry.readUInt8(0) !== tags.key || entry.length < 12)
    throw new FormatError('entry', `An entry of the SRK table has the tag ${hex(entry.readUInt8(0))}`, offset, 1)
  const [kind, first, second] = [entry.readUInt8(3), entry.readUInt16BE(8), entry.readUInt16BE(10)]
  const values = entry.subarray(12)
  const hash = sha256(entry)
  if (kind === 0x21) {
    if (values.length !== first + second) throw new FormatError('entry', 'A key of the SRK table has another length', offset)
    return { hash, key: rsaKey(values.subarray(0, first), values.subarray(first)), algorithm: `rsa-${first * 8}` }
  }
  const curve = curves[entry.readUInt8(8)]
  const size = Math.ceil(second / 8)
  if (kind !== 0x27 || !curve || values.length !== 2 * size)
    throw new FormatError('entry', `The key algorithm ${hex(kind)} of the SRK table is not known`, offset + 3, 1)
  return { hash, key: ecKey(curve, values.subarray(0, size), values.subarray(size)), algorithm: `ecdsa-${curve}` }
}

export const parseSrkTable = async (reader: Reader, at = 0): Promise<SrkTable> => {
  const head = await reader.bytes(at, 4, 'The SRK table')
  const [tag, length, version] = [head.readUInt8(0), head.readUInt16BE(1), head.readUInt8(3)]
  if (tag !== tags.srkTable || version >> 4 !== 4)
    throw new FormatError('magic', `The SRK table starts with ${hex(tag)}, version ${hex(version)}; expected 0xD7, 0x4n`, at, 4)
  const bytes = await reader.bytes(at, length, 'The SRK table')
  const entries: SrkTable['entries'] = []
  for (let offset = 4; offset < length;) {
    const size = offset + 4 <= length ? bytes.readUInt16BE(offset + 1) : 0
    if (size < 4 || offset + size > length || entries.length >= 4)
      throw new FormatError('entry', 'The SRK table has more than four entries, or one without a valid length', at + offset)
    entries.push(readSrk(bytes.subarray(offset, offset + size), at + offset))
    offset += size
  }
  if (entries.length === 0) throw new FormatError('entry', 'The SRK table has no keys', at)
  return { offset: at, bytes, entries, fuses: sha256(Buffer.concat(entries.map(({ hash }) => hash))) }
}

type Ivt = { offset: number; self: number; entry: number; csf: number; bootDataOffset: number }

/** `at`: where `bytes` start in the file. Most places are refused by their first byte. */
const readIvt = (bytes: Buffer, n: number, at: number): Ivt | undefined => {
  if (bytes[n] !== tags.ivt || bytes.readUInt16BE(n + 1) !== ivtBytes || bytes.readUInt8(n + 3) >> 4 !== 4) return undefined
  const [self, boot, csf] = [bytes.readUInt32LE(n + 20), bytes.readUInt32LE(n + 16), bytes.readUInt32LE(n + 24)]
  if (self === 0 || boot < self) return undefined
  return { offset: at + n, self, entry: bytes.readUInt32LE(n + 4), csf, bootDataOffset: at + n + boot - self }
}

/** The image vector table, at a multiple of 4 in the first 4 MiB. Undefined if there is none. */
export const findIvt = async (reader: Reader): Promise<Ivt | undefined> => {
  const limit = Math.min(reader.size, searchBytes)
  let before: Buffer = Buffer.alloc(0)
  let end = 0
  for await (const chunk of reader.chunks([{ offset: 0, length: limit }], 'The image')) {
    end += chunk.length
    // The end of a chunk is looked at again with what follows it: its length is kept a multiple of 4.
    const isLast = end === limit
    const behind = isLast ? await reader.bytes(end, Math.min(ivtBytes, reader.size - end), 'The image') : Buffer.alloc(0)
    const bytes = Buffer.concat([before, chunk, behind])
    const at = end - before.length - chunk.length
    for (let n = 0; n + ivtBytes <= bytes.length && at + n < limit; n += 4) {
      const ivt = readIvt(bytes, n, at)
      if (ivt) return ivt
    }
    before = Buffer.from(bytes.subarray(Math.max(0, bytes.length - (ivtBytes - 4))))
  }
  return undefined
}

type Command = { tag: number; flags: number; offset: number; body: Buffer }
type Csf = { offset: number; commands: Command[]; bytes: Buffer }

const parseCsf = async (reader: Reader, at: number): Promise<Csf> => {
  const head = await reader.bytes(at, 4, 'The CSF')
  const [tag, length] = [head.readUInt8(0), head.readUInt16BE(1)]
  if (tag !== tags.csf || length > maxCsfBytes)
    throw new FormatError('csf', `The CSF starts with ${hex(tag)}, expected 0xD4`, at, 4)
  const bytes = await reader.bytes(at, length, 'The CSF')
  const commands: Command[] = []
  for (let offset = 4; offset < length;) {
    const size = offset + 4 <= length ? bytes.readUInt16BE(offset + 1) : 0
    if (size < 4 || offset + size > length) throw new FormatError('csf', 'A command of the CSF has no valid length', at + offset)
    const [command, flags] = [bytes.readUInt8(offset), bytes.readUInt8(offset + 3)]
    commands.push({ tag: command, flags, offset: at + offset, body: bytes.subarray(offset + 4, offset + size) })
    offset += size
  }
  return { offset: at, commands, bytes }
}

/** Data of a command: a header of four bytes, then the bytes. */
const readData = async (reader: Reader, offset: number, expected: number | undefined, what: string) => {
  const head = await reader.bytes(offset, 4, what)
  const length = head.readUInt16BE(1)
  if (length < 4 || (expected !== undefined && head.readUInt8(0) !== expected))
    throw new FormatError('csf', `${what} starts with ${hex(head.readUInt8(0))}`, offset, 4)
  return (await reader.bytes(offset, length, what)).subarray(4)
}

type HabVerification = {
  srk: SrkTable
  srkIndex: number
  certificates: readonly X509Certificate[]
  /** Of the certificate that signs the CSF: whether the SRK signed it. */
  csfCertificate: boolean
  csfSignature: { offset: number; valid: boolean }
  images: { offset: number; valid: boolean; blocks: ByteRange[] }[]
  /** A part is encrypted and has a MAC instead of a signature. */
  isEncrypted: boolean
  /** The SRK signs without certificates (fast authentication). */
  isFast: boolean
}

const installed = (csf: Csf) =>
  csf.commands
    .filter(({ tag, body }) => tag === tags.installKey && body.length >= 8)
    .map(({ flags, body, offset }) => ({
      flags,
      offset,
      format: body.readUInt8(0),
      source: body.readUInt8(2),
      target: body.readUInt8(3),
      location: body.readUInt32BE(4),
    }))

const signedBy = (certificate: X509Certificate, key: KeyObject | null) => {
  try {
    return key !== null && certificate.verify(key)
  } catch {
    return false
  }
}

const readSignedData = async (reader: Reader, at: number) =>
  parseSignedData(await readData(reader, at, tags.signature, 'A signature'), at + 4)

/** Follows the commands: the SRK of the table signs the CSF and image keys, they sign the commands and the image. */
export const verifyHab = async (reader: Reader, ivt: Ivt): Promise<HabVerification> => {
  const fileOffset = (address: number) => ivt.offset + address - ivt.self
  const csf = await parseCsf(reader, fileOffset(ivt.csf))
  const keys = installed(csf)
  const srkCommand = keys.find(({ format }) => format === certificateFormats.srk)
  if (!srkCommand) throw new FormatError('csf_srk', 'The CSF installs no SRK table', csf.offset, csf.bytes.length)
  const srk = await parseSrkTable(reader, csf.offset + srkCommand.location)
  const root = srk.entries[srkCommand.source]
  if (!root)
    throw new FormatError('csf_srk', `The CSF uses SRK ${srkCommand.source}, which the table does not have`, srkCommand.offset)

  const certificates = new Map<number, { certificate: X509Certificate; chained: boolean }>()
  for (const key of keys.filter(({ format }) => format === certificateFormats.x509)) {
    const der = await readData(reader, csf.offset + key.location, tags.srkTable, 'A certificate')
    const certificate = readCertificate(der)
    if (!certificate)
      throw new FormatError('csf_certificate', 'A certificate of the CSF cannot be read', csf.offset + key.location)
    const issuer = key.source === 0 ? root.key : (certificates.get(key.source)?.certificate.publicKey ?? null)
    certificates.set(key.target, { certificate, chained: signedBy(certificate, issuer) })
  }
  const keyOf = (index: number) => {
    const found = certificates.get(index)
    // Without certificates the SRK itself signs (fast authentication).
    return found ? [found.certificate.publicKey] : certificates.size === 0 && root.key ? [root.key] : []
  }
  const all = csf.commands.filter(({ tag, body }) => tag === tags.authenticate && body.length >= 8)
  const authentications = all.filter(({ body }) => body.readUInt8(1) === signatureFormats.cms)
  const ofCsf = authentications.find(({ body }) => body.length === 8)
  if (!ofCsf) throw new FormatError('csf_signature', 'The CSF has no command that authenticates it', csf.offset, csf.bytes.length)
  const csfSignatureAt = csf.offset + ofCsf.body.readUInt32BE(4)
  const images: HabVerification['images'] = []
  for (const { body } of authentications.filter((it) => it !== ofCsf)) {
    const blocks = Array.from({ length: Math.floor((body.length - 8) / 8) }, (_, n) => ({
      offset: fileOffset(body.readUInt32BE(8 + 8 * n)),
      length: body.readUInt32BE(12 + 8 * n),
    }))
    const at = csf.offset + body.readUInt32BE(4)
    const signer = await signerKeyOfRanges(await readSignedData(reader, at), reader, blocks, keyOf(body.readUInt8(0)))
    images.push({ offset: at, valid: signer !== undefined, blocks })
  }
  return {
    srk,
    srkIndex: srkCommand.source,
    certificates: [...certificates.values()].map(({ certificate }) => certificate),
    csfCertificate: [...certificates.values()].every(({ chained }) => chained),
    csfSignature: {
      offset: csfSignatureAt,
      valid: signerKey(await readSignedData(reader, csfSignatureAt), csf.bytes, keyOf(ofCsf.body.readUInt8(0))) !== undefined,
    },
    images,
    isFast: certificates.size === 0,
    isEncrypted: all.some(({ body }) => body.readUInt8(1) === signatureFormats.aead),
  }
}
