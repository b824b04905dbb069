import { createHash, type KeyObject } from 'node:crypto'
import { type Curve, ecKey, rsaKey, type SignatureForm, verifyBytes } from './public-keys'
import { FormatError, hex, type Reader } from './reader'

// NXP Advanced High Assurance Boot, container version 0: U-Boot include/imx_container.h; SPSDK spsdk/image/ahab
// (ahab_container.py, ahab_iae.py, ahab_sign_block.py, ahab_srk.py, ahab_data.py). Little-endian.
const containerTag = 0x87
// Of images with containers of version 2, by the same files of SPSDK: the container that NXP signs, and the version of SRK tables.
const [tagBeforeVersion2, tableOfVersion2] = [0x82, 0x43]
const notSupported = 'containers of version 2 (i.MX 95 and 94), which are not supported yet: nothing in it was checked'
const alignment = 0x400
const searchBytes = 0x1_0000
const maxContainers = 32
const imageEntryBytes = 128
const [blockTag, tableTag, signatureTag, recordTag] = [0x90, 0xd7, 0xd8, 0xe1]
const hashes = ['sha256', 'sha384', 'sha512'] as const
const curves: Readonly<Record<number, Curve>> = { 1: 'P-256', 2: 'P-384', 3: 'P-521' }

type AhabKey = { key: KeyObject | null; algorithm: string; hash: string; form: SignatureForm }
type AhabTable = { offset: number; bytes: Buffer; keys: AhabKey[] }
type AhabContainer = {
  offset: number
  length: number
  /** Who signed it; `none`: nobody. */
  signer: 'none' | 'nxp' | 'oem' | 'other'
  usedKey: number
  softwareVersion: number
  fuseVersion: number
  images: {
    offset: number
    length: number
    loadAddress: bigint
    isEncrypted: boolean
    hash: string | null
    stored: Buffer
    at: number
  }[]
  table: AhabTable | null
  /** `byCertificate`: a certificate of the block may name the key, which is not read. */
  signature: { offset: number; value: Buffer; signed: { offset: number; length: number }; byCertificate: boolean } | null
}

export const parseAhabTable = async (reader: Reader, at = 0): Promise<AhabTable> => {
  const head = await reader.bytes(at, 4, 'The SRK table')
  const [tag, length, version] = [head.readUInt8(0), head.readUInt16LE(1), head.readUInt8(3)]
  if (tag === tableTag && version === tableOfVersion2)
    throw new FormatError('version', `The SRK table is for ${notSupported}`, at, 4)
  if (tag !== tableTag || version !== 0x42)
    throw new FormatError('magic', `The SRK table starts with ${hex(tag)}, version ${hex(version)}; expected 0xD7, 0x42`, at, 4)
  const bytes = await reader.bytes(at, length, 'The SRK table')
  const keys: AhabKey[] = []
  for (let offset = 4; offset < length;) {
    const record = offset + 12 <= length ? bytes.subarray(offset, offset + bytes.readUInt16LE(offset + 1)) : undefined
    if (!record || record.length < 12 || record.readUInt8(0) !== recordTag || keys.length >= 4)
      throw new FormatError('record', 'A record of the SRK table has no valid tag or length', at + offset)
    const [first, second] = [record.readUInt16LE(8), record.readUInt16LE(10)]
    const hash = hashes[record.readUInt8(4)]
    if (record.length !== 12 + first + second || !hash)
      throw new FormatError('record', 'A record of the SRK table has lengths or a hash that are not known', at + offset, 12)
    const [a, b] = [record.subarray(12, 12 + first), record.subarray(12 + first)]
    const kind = record.readUInt8(3)
    const curve = curves[record.readUInt8(5)]
    if (kind === 0x27 && curve) keys.push({ key: ecKey(curve, a, b), algorithm: `ecdsa-${curve}`, hash, form: 'ecdsa-raw' })
    else if (kind === 0x21 || kind === 0x22)
      keys.push({ key: rsaKey(a, b), algorithm: `rsa-${8 * first}`, hash, form: kind === 0x22 ? 'pss' : 'pkcs1' })
    else keys.push({ key: null, algorithm: hex(kind), hash, form: 'pkcs1' })
    offset += record.length
  }
  if (keys.length === 0) throw new FormatError('record', 'The SRK table has no keys', at)
  return { offset: at, bytes, keys }
}

/** The value for the fuses: SHA-256 of the table on i.MX 8ULP and 9x, SHA-512 on i.MX 8 and 8X. */
export const ahabTableHash = (table: AhabTable, length: number): Buffer =>
  createHash(length === 64 ? 'sha512' : 'sha256')
    .update(table.bytes)
    .digest()

const parseContainer = async (reader: Reader, at: number): Promise<AhabContainer> => {
  const head = await reader.bytes(at, 16, 'The container header')
  const length = head.readUInt16LE(1)
  const flags = head.readUInt32LE(4)
  const [count, blockOffset] = [head.readUInt8(11), head.readUInt16LE(12)]
  if (!reader.has(at, length) || 16 + count * imageEntryBytes > length)
    throw new FormatError('length', `The container has ${count} images and ${length} bytes`, at + 1, 2)
  const images: AhabContainer['images'] = []
  for (let n = 0; n < count; n++) {
    const entryAt = at + 16 + n * imageEntryBytes
    const entry = await reader.bytes(entryAt, imageEntryBytes, 'An image entry')
    const entryFlags = entry.readUInt32LE(24)
    const size = entry.readUInt32LE(4)
    images.push({
      at: entryAt,
      offset: at + entry.readUInt32LE(0),
      length: size,
      loadAddress: entry.readBigUInt64LE(8),
      isEncrypted: ((entryFlags >> 11) & 1) === 1,
      hash: hashes[(entryFlags >> 8) & 7] ?? null,
      stored: entry.subarray(32, 96),
    })
  }
  const signer: AhabContainer['signer'] = (['none', 'nxp', 'oem'] as const)[flags & 3] ?? 'other'
  const container = {
    offset: at,
    length,
    signer,
    usedKey: (flags >> 4) & 3,
    softwareVersion: head.readUInt16LE(8),
    fuseVersion: head.readUInt8(10),
    images,
  }
  if (signer === 'none' || blockOffset + 16 > length) return { ...container, table: null, signature: null }
  const block = await reader.bytes(at + blockOffset, 16, 'The signature block')
  if (block.readUInt8(3) !== blockTag)
    throw new FormatError(
      'signature_block',
      `The signature block has the tag ${hex(block.readUInt8(3))}, expected 0x90`,
      at + blockOffset,
      4,
    )
  const [tableOffset, signatureOffset] = [block.readUInt16LE(6), block.readUInt16LE(8)]
  if (tableOffset === 0 || signatureOffset === 0) return { ...container, table: null, signature: null }
  const signatureAt = at + blockOffset + signatureOffset
  const signature = await reader.bytes(signatureAt, 8, 'The signature')
  const size = signature.readUInt16LE(1)
  if (signature.readUInt8(3) !== signatureTag || size < 8)
    throw new FormatError(
      'signature_block',
      `The signature has the tag ${hex(signature.readUInt8(3))}, expected 0xD8`,
      signatureAt,
      4,
    )
  return {
    ...container,
    table: await parseAhabTable(reader, at + blockOffset + tableOffset),
    signature: {
      offset: signatureAt,
      value: await reader.bytes(signatureAt + 8, size - 8, 'The signature'),
      signed: { offset: at, length: blockOffset + signatureOffset },
      byCertificate: block.readUInt16LE(4) !== 0,
    },
  }
}

/** Past the first 64 KiB, where data of images is: whether a header can be one. A container for SPL to load may be there. */
const isPlausible = (head: Buffer, left: number) => {
  const [length, signer] = [head.readUInt16LE(1), head.readUInt32LE(4) & 3]
  const [count, block, reserved] = [head.readUInt8(11), head.readUInt16LE(12), head.readUInt16LE(14)]
  const images = 16 + count * imageEntryBytes
  const hasBlock = signer === 0 || (block >= images && block + 16 <= length)
  return count > 0 && images <= length && length <= left && reserved === 0 && hasBlock
}

/** The containers at multiples of 1 KiB. */
export const parseAhab = async (reader: Reader): Promise<AhabContainer[]> => {
  const found: AhabContainer[] = []
  let newer: number | undefined
  let start = 0
  for await (const chunk of reader.chunks([{ offset: 0, length: reader.size }], 'The image')) {
    for (let n = 0; n + 16 <= chunk.length; n += alignment) {
      const [head, at] = [chunk.subarray(n, n + 16), start + n]
      const [version, tag] = [head.readUInt8(0), head.readUInt8(3)]
      const isHead = version === 0 && tag === containerTag && head.readUInt16LE(1) >= 16
      if (isHead && (at < searchBytes || isPlausible(head, reader.size - at))) {
        if (found.length >= maxContainers)
          throw new FormatError('containers', `The file has more than ${maxContainers} containers`, at, 16)
        found.push(await parseContainer(reader, at))
      }
      if (at >= searchBytes) continue
      if ((version === 2 && tag === containerTag) || (version === 0 && tag === tagBeforeVersion2)) newer ??= at
    }
    start += chunk.length
  }
  if (found.length > 0) return found
  if (newer !== undefined) throw new FormatError('version', `The file has ${notSupported}`, newer, 4)
  const first = reader.has(0, 4) ? (await reader.bytes(0, 4, 'The container header')).readUInt8(3) : 0
  throw new FormatError('magic', `No container (tag 0x87) at a multiple of 1 KiB; the first tag is ${hex(first)}`, 0, 4)
}

export const verifyAhabImage = async (reader: Reader, image: AhabContainer['images'][number]): Promise<boolean> => {
  if (!image.hash) return false
  const computed = await reader.digest(image.hash, [{ offset: image.offset, length: image.length }], 'An image')
  return computed.equals(image.stored.subarray(0, computed.length))
}

export const verifyAhab = async (reader: Reader, { signature, table, usedKey }: AhabContainer): Promise<boolean> => {
  const used = table?.keys[usedKey]
  if (!signature || !used?.key) return false
  const { offset, length } = signature.signed
  const data = await reader.bytes(offset, length, 'The container')
  return verifyBytes({ key: used.key, form: used.form, hash: used.hash, signature: signature.value }, data)
}
