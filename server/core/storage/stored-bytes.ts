import { buffer } from 'node:stream/consumers'
import type { ArtifactStorage } from '../deps'

/** Random access to the bytes of a file, in parts of at most `maxReadBytes`. */
export type ByteReader = {
  readonly size: number
  /** The bytes from `offset`: fewer than `length` only at the end of the file, none beyond it. */
  read: (offset: number, length: number) => Promise<Buffer>
}
export const maxReadBytes = 1024 * 1024

type ReadPart = (offset: number, length: number) => Promise<Buffer>

/** Random access to bytes, in bounded parts. */
const bounded = (size: number, readPart: ReadPart): ByteReader => ({
  size,
  read: async (offset, length) => {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0 || length > maxReadBytes)
      throw new RangeError(`A read of ${length} bytes from ${offset} is not allowed`)
    const left = Math.min(length, size - offset)
    return left <= 0 ? Buffer.alloc(0) : readPart(offset, left)
  },
})

export const storedBytes = (storage: Pick<ArtifactStorage, 'read'>, key: string, size: number): ByteReader =>
  bounded(size, async (offset, length) => buffer(await storage.read(key, { start: offset, end: offset + length - 1 })))
