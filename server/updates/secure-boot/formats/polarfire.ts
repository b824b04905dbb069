import { createHash, createVerify, type KeyObject } from 'node:crypto'
import { crc32 } from './esp32'
import { FormatError, hex, type Reader } from './reader'

// Microchip PolarFire SoC, Hart Software Services: include/hss_types.h, services/boot/hss_boot_service.c,
// tools/hss-payload-generator/generate_payload.c. Little-endian, 64 bit.
const [magic, compressedMagic] = [0xb0_07_c0_de, 0xc0_8b_83_55]
const headerBytes = 1632
const [crcAt, lengthAt, signatureAt, signatureBytes] = [16, 1480, 1488, 144]
const maxChunks = 4096
const chunkBytes = 40

type HssImage = {
  version: number
  name: string
  headerCrc: { stored: number; computed: number }
  imageLength: number
  chunks: { offset: number; length: number; crc: number; at: number }[]
  /** Null if the image is not signed. */
  signature: { digest: Buffer; value: Buffer } | null
}

const size = (header: Buffer, at: number, what: string) => {
  const value = header.readBigUInt64LE(at)
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new FormatError('length', `${what} is too large`, at, 8)
  return Number(value)
}

export const parseHss = async (reader: Reader): Promise<HssImage> => {
  const first = (await reader.bytes(0, 4, 'The header')).readUInt32LE()
  if (first === compressedMagic)
    throw new FormatError('compressed', 'The image is compressed: its header and signature are not visible', 0, 4)
  if (first !== magic) throw new FormatError('magic', `The magic number is ${hex(first, 8)}, expected ${hex(magic, 8)}`, 0, 4)
  const header = await reader.bytes(0, headerBytes, 'The header')
  const imageLength = size(header, lengthAt, 'The length of the image')
  if (imageLength < headerBytes || !reader.has(0, imageLength))
    throw new FormatError('truncated', `The header gives ${imageLength} bytes, the file has ${reader.size}`, lengthAt, 8)
  // The CRC was computed before the signature and itself were filled in.
  const plain = Buffer.from(header)
  plain.fill(0, crcAt, crcAt + 4)
  plain.fill(0, signatureAt, signatureAt + signatureBytes)
  const table = size(header, 24, 'The chunk table')
  const end = size(header, 32, 'The table of zeroed chunks')
  if (table < headerBytes || end < table || !reader.has(table, end - table) || (end - table) / chunkBytes > maxChunks)
    throw new FormatError('chunks', 'The chunk table is not inside the image', 24, 16)
  const chunks: HssImage['chunks'] = []
  for (let at = table; at + chunkBytes <= end; at += chunkBytes) {
    const chunk = await reader.bytes(at, chunkBytes, 'A chunk')
    const length = size(chunk, 24, 'The size of a chunk')
    // The table ends with an entry of size 0.
    if (length === 0) break
    chunks.push({ at, offset: size(chunk, 8, 'The place of a chunk'), length, crc: chunk.readUInt32LE(32) })
  }
  const signature = header.subarray(signatureAt, signatureAt + signatureBytes)
  return {
    version: header.readUInt32LE(4),
    name: header.toString('latin1', 1224, 1480).replace(/\0[\s\S]*$/, ''),
    headerCrc: { stored: header.readUInt32LE(crcAt), computed: crc32(plain) },
    imageLength,
    chunks,
    signature: signature.every((byte) => byte === 0)
      ? null
      : { digest: signature.subarray(0, 48), value: signature.subarray(48) },
  }
}

/** ECDSA with P-384 and SHA-384 over the image with zeros for the signature. */
export const verifyHss = async (
  reader: Reader,
  image: HssImage,
  keys: readonly KeyObject[],
): Promise<{ digest: boolean; key: KeyObject | null }> => {
  if (!image.signature) return { digest: false, key: null }
  const hash = createHash('sha384')
  const verifiers = keys.map((key) => ({ key, verifier: createVerify('sha384') }))
  let at = 0
  for await (const chunk of reader.chunks([{ offset: 0, length: image.imageLength }], 'The image')) {
    const bytes = at < signatureAt + signatureBytes ? Buffer.from(chunk) : chunk
    if (at < signatureAt + signatureBytes)
      bytes.fill(0, Math.max(0, signatureAt - at), Math.max(0, Math.min(bytes.length, signatureAt + signatureBytes - at)))
    hash.update(bytes)
    for (const { verifier } of verifiers) verifier.update(bytes)
    at += chunk.length
  }
  const value = image.signature.value
  const found = verifiers.find(({ key, verifier }) => {
    try {
      return verifier.verify({ key, dsaEncoding: 'ieee-p1363' }, value)
    } catch {
      return false
    }
  })
  return { digest: hash.digest().equals(image.signature.digest), key: found?.key ?? null }
}
