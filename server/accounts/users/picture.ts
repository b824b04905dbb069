import type Sharp from 'sharp'
import { avatarLimit, type avatarTypes } from '../../../contract/accounts/account'

type Type = (typeof avatarTypes)[number]

const signatures: readonly { type: Type; matches: (file: Buffer) => boolean }[] = [
  { type: 'image/png', matches: (file) => file.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')) },
  { type: 'image/jpeg', matches: (file) => file.readUIntBE(0, 3) === 0xffd8ff },
  {
    type: 'image/webp',
    matches: (file) => file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP',
  },
]

/** The media type by the first bytes of a file; undefined if it is no picture type that is served. */
export const pictureType = (file: Buffer): Type | undefined =>
  file.length >= 12 ? signatures.find(({ matches }) => matches(file))?.type : undefined

type Picture = { type: Type; bytes: Buffer } | { code: string; problem: string }

const tooLarge: Picture = {
  code: 'dimensions',
  problem: `The picture must be ${avatarLimit.side} × ${avatarLimit.side} pixels or less`,
}
const damaged: Picture = { code: 'damaged', problem: 'This picture could not be read' }

const timeoutS = 5

/** Loaded with the first picture: it takes 25 MB of memory, and most processes never decode one. */
const loadSharp = async (): Promise<typeof Sharp> => {
  const { default: sharp } = await import('sharp')
  const loaders = ['VipsForeignLoadPngBuffer', 'VipsForeignLoadJpegBuffer', 'VipsForeignLoadWebpBuffer']
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: loaders })
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}
let loaded: Promise<typeof Sharp> | undefined

/** Decodes and re-encodes a picture: only its pixels are kept. Its first bytes decide its type, never its name or declared type. */
export const cleanPicture = async (file: Buffer): Promise<Picture> => {
  const type = pictureType(file)
  if (!type) return { code: 'type', problem: 'Choose a PNG, JPEG or WebP picture' }
  const sharp = await (loaded ??= loadSharp())
  try {
    const { width, height } = await sharp(file, { limitInputPixels: false }).metadata()
    if (Math.max(width, height) > avatarLimit.side) return tooLarge
    const bytes = await sharp(file, { limitInputPixels: avatarLimit.side ** 2, failOn: 'warning' })
      .autoOrient()
      .timeout({ seconds: timeoutS })
      .jpeg({ quality: 90, force: false })
      .webp({ quality: 90, force: false })
      .toBuffer()
    return { type, bytes }
  } catch {
    return damaged
  }
}
