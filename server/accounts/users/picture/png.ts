import { promisify } from 'node:util'
import { crc32, deflate, inflate } from 'node:zlib'
import { avatarLimit } from '../../../../contract/account'
import type { Reader } from './picture'

const unpack = promisify(inflate)
const pack = promisify<Buffer, Buffer>(deflate)

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
/** Samples per pixel by color type, and the allowed bit depths. */
const kinds: Readonly<Record<number, { samples: number; depths: readonly number[] }>> = {
  0: { samples: 1, depths: [1, 2, 4, 8, 16] },
  2: { samples: 3, depths: [8, 16] },
  3: { samples: 1, depths: [1, 2, 4, 8] },
  4: { samples: 2, depths: [8, 16] },
  6: { samples: 4, depths: [8, 16] },
}

type Chunk = { name: string; data: Buffer }

/** Every chunk up to the end; undefined if a checksum is wrong. */
const chunksOf = (file: Buffer): Chunk[] | undefined => {
  const chunks: Chunk[] = []
  for (let at = 8; at + 12 <= file.length;) {
    const end = at + 12 + file.readUInt32BE(at)
    if (end > file.length || crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) return undefined
    chunks.push({ name: file.toString('latin1', at + 4, at + 8), data: file.subarray(at + 8, end - 4) })
    if (chunks.at(-1)?.name === 'IEND') return chunks
    at = end
  }
  return undefined
}

const chunk = (name: string, data: Buffer) => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** Bytes per line without the filter byte; undefined for an invalid header. */
const lineBytes = (header: Buffer) => {
  const kind = kinds[header[9] ?? -1]
  const depth = header[8] ?? 0
  return kind?.depths.includes(depth) ? Math.ceil((header.readUInt32BE(0) * kind.samples * depth) / 8) : undefined
}

/**
 * Decompresses the pixels, which may not be more than the header says (T-15), and compresses them again. Interlaced ones are
 * refused.
 */
export const readPng: Reader = async (file) => {
  const chunks = chunksOf(file)
  const [first, ...rest] = chunks ?? []
  if (first?.name !== 'IHDR' || first.data.length !== 13) return undefined
  const [width, height] = [first.data.readUInt32BE(0), first.data.readUInt32BE(4)]
  if (Math.max(width, height) > avatarLimit.side) return { width, height, bytes: file }
  const line = lineBytes(first.data)
  if (line === undefined || first.data.readUIntBE(10, 3) !== 0) return undefined
  const expected = (line + 1) * height
  const packed = Buffer.concat(rest.filter(({ name }) => name === 'IDAT').map(({ data }) => data))
  const pixels = await unpack(packed, { maxOutputLength: expected + 1 }).catch(() => undefined)
  if (pixels?.length !== expected) return undefined
  for (let at = 0; at < expected; at += line + 1) if ((pixels[at] ?? 5) > 4) return undefined
  const kept = rest.filter(({ name }) => name === 'PLTE' || name === 'tRNS')
  const parts = [first, ...kept, { name: 'IDAT', data: await pack(pixels) }, { name: 'IEND', data: Buffer.alloc(0) }]
  return { width, height, bytes: Buffer.concat([signature, ...parts.map(({ name, data }) => chunk(name, data))]) }
}
