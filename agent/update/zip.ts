import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'

/** `limit`: where the next entry or the directory begins. */
type Entry = {
  name: string
  method: number
  crc: number
  packed: number
  size: number
  offset: number
  /** Null if the archive was made where files have none. */
  mode: number | null
  limit: number
}
export type Unpacked = { source: string; sha256: string; name: string; mode: number | null }

const maxEntries = 10_000
const maxTotal = 10 * 2 ** 30
/** Most unpacked bytes for each byte of the archive. */
const maxRatio = 100
/** Read as a whole: 1.6 KiB for each of the most entries. */
const maxDirectory = 16 * 2 ** 20
/** Linux limits in bytes; a longer name would fail in the middle of the installation. */
const maxNamePart = 255
const maxName = 4095

const readAt = async (path: string, at: number, length: number): Promise<Buffer> => {
  const handle = await open(path, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(length), 0, length, at)
    if (bytesRead !== length) throw new Error('The archive is incomplete')
    return buffer
  } finally {
    await handle.close()
  }
}

/**
 * Possible ends of the archive: records whose comment reaches exactly to the end of the file. A comment may contain another
 * such record with a different directory; programs differ in which one they use, so the caller decides.
 */
const endsOf = (tail: Buffer): number[] => {
  const found: number[] = []
  for (let at = tail.indexOf('PK\x05\x06', 0, 'latin1'); at >= 0; at = tail.indexOf('PK\x05\x06', at + 1, 'latin1'))
    if (at + 22 <= tail.length && at + 22 + tail.readUInt16LE(at + 20) === tail.length) found.push(at)
  return found
}

const directoryOf = async (path: string): Promise<{ at: number; count: number; size: number; bytes: Buffer }> => {
  const { size } = await stat(path)
  const tail = await readAt(path, Math.max(0, size - 65_557), Math.min(size, 65_557))
  const ends = endsOf(tail)
  const [end] = ends
  if (end === undefined) throw new Error('This is not a zip archive')
  if (ends.length > 1) throw new Error('The archive has more than one end record')
  const [count, length, at] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (count === 0xffff || length === 0xffffffff || at === 0xffffffff) throw new Error('Zip64 archives are not supported')
  // Some programs use the record's offset of the directory, others expect it directly before the record: both must agree.
  if (at + length !== Math.max(0, size - tail.length) + end)
    throw new Error('The directory of the archive is not in front of its end')
  if (count > maxEntries) throw new Error(`The archive has more than ${maxEntries} entries`)
  if (length > maxDirectory) throw new Error('The directory of the archive is larger than 16 MiB')
  return { at, count, size, bytes: await readAt(path, at, length) }
}

// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const goodName = /^(?!\/)(?:(?!\.\.?\/)[^/\\\u0000-\u001f\u007f]+\/)*(?!\.\.?$)[^/\\\u0000-\u001f\u007f]+$/

const isTooLong = (name: string) =>
  Buffer.byteLength(name) > maxName || name.split('/').some((part) => Buffer.byteLength(part) > maxNamePart)

const readEntry = (bytes: Buffer, at: number): { entry: Entry | null; next: number } => {
  if (at + 46 > bytes.length || bytes.readUInt32LE(at) !== 0x02014b50) throw new Error('The directory of the archive is damaged')
  const nameEnd = at + 46 + bytes.readUInt16LE(at + 28)
  const next = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  const name = bytes.toString('utf8', at + 46, nameEnd)
  const unixMode = bytes[at + 5] === 3 ? bytes.readUInt16LE(at + 40) : 0
  if (name.endsWith('/')) return { entry: null, next }
  if (!goodName.test(name)) throw new Error(`The archive has an entry that leads outside: ${JSON.stringify(name)}`)
  if (isTooLong(name)) throw new Error(`The archive has an entry whose name is too long: ${JSON.stringify(name.slice(0, 100))}`)
  if ((unixMode & 0o170000) === 0o120000) throw new Error(`${name} is a link`)
  if (bytes.readUInt16LE(at + 8) & 1) throw new Error(`${name} is encrypted`)
  const entry = {
    name,
    method: bytes.readUInt16LE(at + 10),
    crc: bytes.readUInt32LE(at + 16),
    packed: bytes.readUInt32LE(at + 20),
    size: bytes.readUInt32LE(at + 24),
    offset: bytes.readUInt32LE(at + 42),
    mode: unixMode & 0o777 || null,
    limit: 0,
  }
  if (entry.method !== 0 && entry.method !== 8) throw new Error(`${name} uses an unsupported compression method`)
  return { entry, next }
}

/**
 * The entries; all are refused if names repeat, bytes overlap, or the sum is too large, also in relation to the archive's size.
 */
const entriesOf = async (path: string): Promise<Entry[]> => {
  const { at: directoryAt, count, size: archiveSize, bytes } = await directoryOf(path)
  const entries: Entry[] = []
  for (let left = count, at = 0; left > 0; left--) {
    const { entry, next } = readEntry(bytes, at)
    if (entry) entries.push(entry)
    at = next
    if (left === 1 && at !== bytes.length) throw new Error('The directory of the archive is longer than it says')
  }
  if (entries.length === 0) throw new Error('The archive contains no files')
  if (new Set(entries.map(({ name }) => name)).size !== entries.length) throw new Error('The archive names a file twice')
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  if (total > maxTotal) throw new Error('The archive contains more than 10 GiB')
  const inOrder = entries.toSorted((one, other) => one.offset - other.offset)
  for (const [at, entry] of inOrder.entries()) {
    entry.limit = inOrder[at + 1]?.offset ?? directoryAt
    if (entry.offset + 30 + entry.packed > entry.limit) throw new Error('Entries of the archive overlap')
  }
  if (total > maxRatio * archiveSize) throw new Error(`The archive contains more than ${maxRatio} times its own length`)
  return entries
}

const unpackEntry = async (path: string, entry: Entry, target: string): Promise<string> => {
  const head = await readAt(path, entry.offset, 30)
  if (head.readUInt32LE(0) !== 0x04034b50) throw new Error(`${entry.name} is not where the directory says`)
  const titleLength = head.readUInt16LE(26)
  const start = entry.offset + 30 + titleLength + head.readUInt16LE(28)
  if ((await readAt(path, entry.offset + 30, titleLength)).toString('utf8') !== entry.name)
    throw new Error(`${entry.name} has another name at its bytes`)
  if (start + entry.packed > entry.limit) throw new Error('Entries of the archive overlap')
  const hash = createHash('sha256')
  let size = 0
  let crc = 0
  const check = new Transform({
    transform(piece: Buffer, _, next) {
      size += piece.length
      if (size > entry.size) return next(new Error(`${entry.name} is longer than it says`))
      crc = crc32(piece, crc)
      hash.update(piece)
      next(null, piece)
    },
  })
  const out = createWriteStream(target, { flags: 'wx', mode: 0o600, flush: true })
  if (entry.packed === 0) await pipeline([], check, out)
  else {
    const packed = createReadStream(path, { start, end: start + entry.packed - 1 })
    await (entry.method === 8 ? pipeline(packed, createInflateRaw(), check, out) : pipeline(packed, check, out))
  }
  if (size !== entry.size || crc !== entry.crc) throw new Error(`${entry.name} is damaged`)
  return hash.digest('hex')
}

/** The files of an archive and their sizes, as its directory states them; `unpack` refuses a file that is longer. */
export const listArchive = async (path: string): Promise<{ name: string; size: number }[]> => entriesOf(path)

/** Unpacks a zip archive (stored or deflated) into a new folder, flat and numbered; the caller decides where files go. */
export const unpack = async (path: string, folder: string): Promise<Unpacked[]> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const files: Unpacked[] = []
  for (const [at, entry] of (await entriesOf(path)).entries()) {
    const source = join(folder, String(at))
    files.push({ source, sha256: await unpackEntry(path, entry, source), name: entry.name, mode: entry.mode })
  }
  return files
}
