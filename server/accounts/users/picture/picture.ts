import { avatarLimit, type avatarTypes } from '../../../../contract/account'
import { readJpeg } from './jpeg'
import { readPng } from './png'
import { readWebp } from './webp'

type Type = (typeof avatarTypes)[number]
/** The result of a reader: the size, and the rewritten file with nothing but the picture. */
export type Clean = { width: number; height: number; bytes: Buffer }
/** Undefined: incomplete, malformed, or of a kind that no browser needs. */
export type Reader = (file: Buffer) => Promise<Clean | undefined> | Clean | undefined

const readers: readonly { type: Type; begins: (file: Buffer) => boolean; read: Reader }[] = [
  { type: 'image/png', begins: (file) => file.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')), read: readPng },
  { type: 'image/jpeg', begins: (file) => file.readUIntBE(0, 3) === 0xffd8ff, read: readJpeg },
  {
    type: 'image/webp',
    begins: (file) => file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP',
    read: readWebp,
  },
]

const readerOf = (file: Buffer) => (file.length >= 12 ? readers.find(({ begins }) => begins(file)) : undefined)

/** The media type by the first bytes of a file; undefined if it is no picture type that is served. */
export const pictureType = (file: Buffer): Type | undefined => readerOf(file)?.type

type Picture = { type: Type; bytes: Buffer } | { code: string; problem: string }

/**
 * Validates and rewrites a picture. Its first bytes decide its type, never its name or declared type; every part is parsed;
 * locations, comments, color profiles and trailing data are dropped.
 */
export const cleanPicture = async (file: Buffer): Promise<Picture> => {
  const known = readerOf(file)
  if (!known) return { code: 'type', problem: 'Choose a PNG, JPEG or WebP picture' }
  const read = await known.read(file)
  if (!read) return { code: 'damaged', problem: 'This picture could not be read' }
  const { width, height, bytes } = read
  if (Math.max(width, height) > avatarLimit.side || Math.min(width, height) < 1)
    return { code: 'dimensions', problem: `The picture must be ${avatarLimit.side} × ${avatarLimit.side} pixels or less` }
  return { type: known.type, bytes }
}
