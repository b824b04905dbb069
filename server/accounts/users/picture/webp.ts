import type { Reader } from './picture'

type Part = { name: string; data: Buffer }
type Size = { width: number; height: number }

const partsOf = (file: Buffer): Part[] | undefined => {
  const end = 8 + file.readUInt32LE(4)
  if (end > file.length) return undefined
  const parts: Part[] = []
  for (let at = 12; at + 8 <= end;) {
    const length = file.readUInt32LE(at + 4)
    if (at + 8 + length > end) return undefined
    parts.push({ name: file.toString('latin1', at, at + 4), data: file.subarray(at + 8, at + 8 + length) })
    at += 8 + length + (length % 2)
  }
  return parts
}

// RFC 6386, 9.1: a key frame, its start code, and 14 bits of each side.
const lossySize = (data: Buffer): Size | undefined =>
  data.length >= 10 && ((data[0] ?? 1) & 1) === 0 && data.readUIntBE(3, 3) === 0x9d012a
    ? { width: data.readUInt16LE(6) & 0x3fff, height: data.readUInt16LE(8) & 0x3fff }
    : undefined

// RFC 9649, 3.4: a byte of signature, then both sides less one.
const losslessSize = (data: Buffer): Size | undefined => {
  if (data.length < 5 || data[0] !== 0x2f) return undefined
  const bits = data.readUInt32LE(1)
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
}

const written = ({ name, data }: Part) => {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

const extended = ({ width, height }: Size): Part => {
  const data = Buffer.alloc(10)
  // The only remaining flag: there is an alpha channel.
  data[0] = 0x10
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return { name: 'VP8X', data }
}

/** One still picture, with its alpha channel if there is one. Animations are refused; profiles and metadata are dropped. */
export const readWebp: Reader = (file) => {
  const parts = partsOf(file)
  if (!parts || parts.some(({ name }) => name === 'ANIM' || name === 'ANMF')) return undefined
  const pictures = parts.filter(({ name }) => name === 'VP8 ' || name === 'VP8L')
  const [picture] = pictures
  if (!picture || pictures.length > 1) return undefined
  const size = picture.name === 'VP8 ' ? lossySize(picture.data) : losslessSize(picture.data)
  // A lossy frame may have a width or height of 0.
  if (!size || size.width === 0 || size.height === 0) return undefined
  const alpha = picture.name === 'VP8 ' ? parts.find(({ name }) => name === 'ALPH') : undefined
  const kept = alpha ? [extended(size), alpha, picture] : [picture]
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), ...kept.map(written)])
  const head = Buffer.alloc(8)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(body.length, 4)
  return { ...size, bytes: Buffer.concat([head, body]) }
}
