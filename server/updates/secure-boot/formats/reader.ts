import { createHash } from 'node:crypto'
import { type ByteReader, maxReadBytes } from '../types'

export type ByteRange = { offset: number; length: number }

/** A rule of a format that the bytes break. `offset` is from the start of the file. */
export class FormatError extends Error {
  readonly rule: string
  readonly offset: number
  readonly length: number
  constructor(rule: string, message: string, offset: number, length = 0) {
    super(message)
    this.rule = rule
    this.offset = offset
    this.length = length
  }
}

const pageBytes = 65_536
const maxPages = 32
/** No format needs more at once; larger data is hashed in chunks. */
const maxValueBytes = 4_194_304
/** Ranges of a hostile file may overlap: so often its size is read in chunks, or 64 MiB in all. */
const maxPasses = 24

/** Reads of one file, checked against its size. At most about 8 MiB are held at a time. */
export type Reader = {
  readonly size: number
  has(offset: number, length: number): boolean
  /** The bytes, copied; a `FormatError` of rule `truncated` if they are not all there. */
  bytes(offset: number, length: number, what: string): Promise<Buffer>
  /** The ranges in chunks, in order, each checked like `bytes`. */
  chunks(ranges: readonly ByteRange[], what: string): AsyncGenerator<Buffer>
  digest(algorithm: string, ranges: readonly ByteRange[], what: string): Promise<Buffer>
}

const isPlace = (offset: number, length: number, size: number) =>
  Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0 && offset + length <= size

export const readerOf = (source: ByteReader): Reader => {
  const { size } = source
  const pages = new Map<number, Buffer>()
  let budget = Math.max(maxPasses * size, 67_108_864)

  const page = async (n: number) => {
    const known = pages.get(n)
    if (known) return known
    const offset = n * pageBytes
    const bytes = await source.read(offset, Math.min(pageBytes, size - offset))
    const oldest = pages.size < maxPages ? undefined : pages.keys().next().value
    if (oldest !== undefined) pages.delete(oldest)
    pages.set(n, bytes)
    return bytes
  }

  const check = (offset: number, length: number, what: string) => {
    if (isPlace(offset, length, size)) return
    const end = offset + length
    throw new FormatError('truncated', `${what} would end at byte ${end}, the file has ${size} bytes`, Math.min(offset, size))
  }

  const bytes = async (offset: number, length: number, what: string) => {
    check(offset, length, what)
    if (length > maxValueBytes)
      throw new FormatError('too_large', `${what} of ${length} bytes is larger than ${maxValueBytes}`, offset, length)
    const result = Buffer.alloc(length)
    for (let done = 0; done < length;) {
      const from = await page(Math.floor((offset + done) / pageBytes))
      const copied = from.copy(result, done, (offset + done) % pageBytes)
      if (copied === 0) throw new FormatError('truncated', `${what} could not be read in full`, offset + done)
      done += copied
    }
    return result
  }

  async function* chunks(ranges: readonly ByteRange[], what: string) {
    for (const { offset, length } of ranges) {
      check(offset, length, what)
      budget -= length
      if (budget < 0) throw new FormatError('overlap', `${what} is read too often: parts of the file overlap`, offset, length)
      for (let done = 0; done < length;) {
        const wanted = Math.min(maxReadBytes, length - done)
        const chunk = wanted <= pageBytes ? await bytes(offset + done, wanted, what) : await source.read(offset + done, wanted)
        if (chunk.length === 0) throw new FormatError('truncated', `${what} could not be read in full`, offset + done)
        yield chunk
        done += chunk.length
      }
    }
  }

  const digest = async (algorithm: string, ranges: readonly ByteRange[], what: string) => {
    const hash = createHash(algorithm)
    for await (const chunk of chunks(ranges, what)) hash.update(chunk)
    return hash.digest()
  }

  return { size, has: (offset, length) => isPlace(offset, length, size), bytes, chunks, digest }
}

export const hex = (value: number, digits = 2): string => `0x${value.toString(16).toUpperCase().padStart(digits, '0')}`
