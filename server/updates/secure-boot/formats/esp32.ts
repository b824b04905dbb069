import { createHash, type KeyObject } from 'node:crypto'
import { ecKey, reversed, rsaKey, verifyRanges } from './public-keys'
import { FormatError, hex, type Reader } from './reader'

// Espressif: esptool (bin_image.py, espsecure/__init__.py) and ESP-IDF (esp_app_format.h, esp_app_desc.h, gen_esp32part.py),
// little-endian.
const imageMagic = 0xe9
const headerBytes = 24
const maxSegments = 16
const checksumSeed = 0xef
const appDescriptionMagic = 0xab_cd_54_32
const sectorBytes = 4096
const blockBytes = 1216
const blockMagic = 0xe7
const maxBlocks = 3
const maxTableBytes = 3072

const chips: Readonly<Record<number, string>> = {
  0: 'ESP32',
  2: 'ESP32-S2',
  5: 'ESP32-C3',
  9: 'ESP32-S3',
  12: 'ESP32-C2',
  13: 'ESP32-C6',
  16: 'ESP32-H2',
  18: 'ESP32-P4',
  20: 'ESP32-C61',
  23: 'ESP32-C5',
}

type SignatureBlock = {
  offset: number
  algorithm: string
  hash: 'sha256' | 'sha384'
  imageDigest: Buffer
  key: KeyObject | null
  /** SHA-256 of the key as the block stores it: the value that is burned. */
  keyDigest: Buffer
  form: 'pss' | 'ecdsa-raw'
  signature: Buffer
}
type EspImage = {
  chip: string
  entryPoint: number
  segments: { address: number; offset: number; length: number }[]
  checksum: { offset: number; stored: number; computed: number }
  digest: { offset: number; stored: Buffer; computed: Buffer } | null
  /** Null if there is no description of an app. */
  secureVersion: { value: number; offset: number } | null
  /** Where the image ends, before padding and signature. */
  end: number
}

export const parseEspImage = async (reader: Reader): Promise<EspImage> => {
  const head = await reader.bytes(0, headerBytes, 'The image header')
  const found = head.readUInt8(0)
  if (found !== imageMagic) throw new FormatError('magic', `The magic byte is ${hex(found)}, expected ${hex(imageMagic)}`, 0, 1)
  const count = head.readUInt8(1)
  if (count === 0 || count > maxSegments)
    throw new FormatError('segments', `${count} segments: expected 1 to ${maxSegments}`, 1, 1)
  const segments: EspImage['segments'] = []
  let offset = headerBytes
  let checksum = checksumSeed
  for (let n = 0; n < count; n++) {
    const segment = await reader.bytes(offset, 8, `The header of segment ${n}`)
    const length = segment.readUInt32LE(4)
    segments.push({ address: segment.readUInt32LE(0), offset: offset + 8, length })
    for await (const chunk of reader.chunks([{ offset: offset + 8, length }], `Segment ${n}`))
      for (const byte of chunk) checksum ^= byte
    offset += 8 + length
  }
  // The checksum is the last byte of a block of 16.
  const checksumAt = offset + 15 - (offset % 16)
  const stored = (await reader.bytes(checksumAt, 1, 'The checksum')).readUInt8(0)
  const imageEnd = checksumAt + 1
  const hasDigest = head.readUInt8(23) === 1
  const digest = hasDigest
    ? {
        offset: imageEnd,
        stored: await reader.bytes(imageEnd, 32, 'The digest of the image'),
        computed: await reader.digest('sha256', [{ offset: 0, length: imageEnd }], 'The image'),
      }
    : null
  const first = segments[0]
  const description = first && first.length >= 8 ? await reader.bytes(first.offset, 8, 'The app description') : undefined
  return {
    chip: chips[head.readUInt16LE(12)] ?? `chip ${head.readUInt16LE(12)}`,
    entryPoint: head.readUInt32LE(4),
    segments,
    checksum: { offset: checksumAt, stored, computed: checksum },
    digest,
    secureVersion:
      first && description?.readUInt32LE(0) === appDescriptionMagic
        ? { value: description.readUInt32LE(4), offset: first.offset + 4 }
        : null,
    end: imageEnd + (hasDigest ? 32 : 0),
  }
}

const crcTable = Array.from({ length: 256 }, (_, n) => {
  let value = n
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xed_b8_83_20 ^ (value >>> 1) : value >>> 1
  return value >>> 0
})
/** CRC-32 of ISO 3309, as zlib has it. */
export const crc32 = (bytes: Uint8Array): number => {
  let crc = 0xff_ff_ff_ff
  for (const byte of bytes) crc = (crcTable[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)
  return (crc ^ 0xff_ff_ff_ff) >>> 0
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest()

const readRsaBlock = (block: Buffer, offset: number): SignatureBlock => ({
  offset,
  algorithm: 'rsa-3072',
  hash: 'sha256',
  imageDigest: block.subarray(4, 36),
  key: rsaKey(reversed(block.subarray(36, 420)), reversed(block.subarray(420, 424))),
  keyDigest: sha256(block.subarray(36, 812)),
  form: 'pss',
  signature: reversed(block.subarray(812, 1196)),
})

const readEcdsaBlock = (block: Buffer, offset: number): SignatureBlock | undefined => {
  const isLarge = block.readUInt8(2) === 1
  const keyAt = isLarge ? 52 : 36
  const curve = ({ 1: 'P-192', 2: 'P-256', 3: 'P-384' } as const)[block.readUInt8(keyAt)]
  if (!curve || isLarge !== (curve === 'P-384')) return undefined
  const size = { 'P-192': 24, 'P-256': 32, 'P-384': 48 }[curve]
  const field = isLarge ? 96 : 64
  const point = block.subarray(keyAt + 1, keyAt + 1 + field)
  const pair = block.subarray(keyAt + 1 + field, keyAt + 1 + 2 * field)
  return {
    offset,
    algorithm: `ecdsa-${curve}`,
    hash: isLarge ? 'sha384' : 'sha256',
    imageDigest: block.subarray(4, isLarge ? 52 : 36),
    key: ecKey(curve, reversed(point.subarray(0, size)), reversed(point.subarray(size, 2 * size))),
    keyDigest: sha256(block.subarray(keyAt, keyAt + 1 + field)),
    form: 'ecdsa-raw',
    signature: Buffer.concat([reversed(pair.subarray(0, size)), reversed(pair.subarray(size, 2 * size))]),
  }
}

/** The blocks of Secure Boot v2 in the last sector of the file, which starts at a multiple of 4096. */
export const readSignatureBlocks = async (reader: Reader): Promise<SignatureBlock[]> => {
  if (reader.size < 2 * sectorBytes || reader.size % sectorBytes !== 0) return []
  const start = reader.size - sectorBytes
  const sector = await reader.bytes(start, sectorBytes, 'The signature sector')
  return Array.from({ length: maxBlocks }, (_, n) => n * blockBytes).flatMap((at) => {
    const block = sector.subarray(at, at + blockBytes)
    if (block.readUInt8(0) !== blockMagic || crc32(block.subarray(0, 1196)) !== block.readUInt32LE(1196)) return []
    const version = block.readUInt8(1)
    return (version === 2 ? readRsaBlock(block, start + at) : version === 3 ? readEcdsaBlock(block, start + at) : undefined) ?? []
  })
}

export const verifyBlock = async (reader: Reader, block: SignatureBlock): Promise<{ digest: boolean; signature: boolean }> => {
  const signed = [{ offset: 0, length: reader.size - sectorBytes }]
  const digest = await reader.digest(block.hash, signed, 'The signed image')
  const { key, form, hash, signature } = block
  return {
    digest: digest.equals(block.imageDigest),
    signature: key !== null && (await verifyRanges({ key, form, hash, signature }, reader, signed)),
  }
}

type Partition = { name: string; type: number; subtype: number; offset: number; size: number; at: number }

/** A table of entries of 32 bytes, with an MD5 of them where it has one. */
export const parsePartitionTable = async (reader: Reader): Promise<Partition[]> => {
  const table = await reader.bytes(0, Math.min(reader.size, maxTableBytes), 'The partition table')
  const partitions: Partition[] = []
  for (let at = 0; ; at += 32) {
    // The boot loader refuses a table without its end as well: 95 entries fit.
    if (at + 32 > table.length)
      throw new FormatError('end', `The partition table has no end in its first ${maxTableBytes} bytes`, table.length)
    const entry = table.subarray(at, at + 32)
    if (entry.every((byte) => byte === 0xff)) break
    if (entry.readUInt16BE(0) === 0xeb_eb) {
      if (!createHash('md5').update(table.subarray(0, at)).digest().equals(entry.subarray(16)))
        throw new FormatError('md5', 'The MD5 of the partition table does not match its entries', at, 32)
      break
    }
    if (entry.readUInt16BE(0) !== 0xaa_50)
      throw new FormatError('magic', `An entry has the magic ${hex(entry.readUInt16BE(0), 4)}, expected 0xAA50`, at, 2)
    partitions.push({
      type: entry.readUInt8(2),
      subtype: entry.readUInt8(3),
      offset: entry.readUInt32LE(4),
      size: entry.readUInt32LE(8),
      name: entry.toString('latin1', 12, 28).replace(/\0[\s\S]*$/, ''),
      at,
    })
  }
  if (partitions.length === 0) throw new FormatError('magic', 'The file has no entry of a partition table (0xAA50)', 0, 2)
  return partitions
}
