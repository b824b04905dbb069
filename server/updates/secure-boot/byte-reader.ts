import { buffer } from 'node:stream/consumers'
import type { ArtifactStorage } from '../../core/deps'
import { type ByteReader, maxReadBytes } from './types'

/** Random access to stored bytes, in bounded parts. */
export const storedBytes = (storage: ArtifactStorage, key: string, size: number): ByteReader => ({
  size,
  read: async (offset, length) => {
    if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length) || offset < 0 || length < 0 || length > maxReadBytes)
      throw new RangeError(`A read of ${length} bytes from ${offset} is not allowed`)
    const end = Math.min(size, offset + length)
    return offset >= end ? Buffer.alloc(0) : buffer(await storage.read(key, { start: offset, end: end - 1 }))
  },
})
