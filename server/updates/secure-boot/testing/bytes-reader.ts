import { type ByteReader, maxReadBytes } from '../types'

/** A file in memory. It fails the test that reads beyond it, or more at once than storage allows. */
export const bytesReader = (bytes: Buffer): ByteReader => ({
  size: bytes.length,
  read: async (offset, length) => {
    const isInside = Number.isSafeInteger(offset) && offset >= 0 && length >= 0 && offset + length <= bytes.length
    if (!isInside || length > maxReadBytes) throw new RangeError(`Read of ${length} bytes at ${offset} of ${bytes.length}`)
    return bytes.subarray(offset, offset + length)
  },
})
