import { FormatError, type Reader } from './reader'

// Listed within bounds, never unpacked. ZIP: APPNOTE 6.3.10, 4.3.12 and 4.3.16; ustar: POSIX.1-2017, pax; cpio newc: Linux
// buffer-format.rst.
const maxEntries = 10_000
const maxTotalBytes = 10 * 1024 ** 3
const maxRatio = 100

type ArchiveEntry = { name: string; size: number; offset: number }
type Archive = { format: 'zip' | 'tar' | 'cpio'; entries: ArchiveEntry[] }

const tooMany = (offset: number) => new FormatError('entries', `There are more than ${maxEntries} entries`, offset)
const checkTotal = (total: number, offset: number) => {
  if (total > maxTotalBytes) throw new FormatError('size', `The entries declare more than ${maxTotalBytes} bytes`, offset)
}

const text = (bytes: Buffer) => bytes.toString('latin1').replace(/\0[\s\S]*$/, '')

const listZip = async (reader: Reader): Promise<Archive> => {
  const tailLength = Math.min(reader.size, 65_557)
  const tailAt = reader.size - tailLength
  const tail = await reader.bytes(tailAt, tailLength, 'The end of the archive')
  const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || end + 22 > tail.length) throw new FormatError('directory', 'The archive has no central directory', tailAt)
  const [length, start] = [tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  const entries: ArchiveEntry[] = []
  const used: [number, number][] = []
  let total = 0
  for (let at = start; at + 46 <= start + length;) {
    if (entries.length >= maxEntries) throw tooMany(at)
    const head = await reader.bytes(at, 46, 'An entry of the central directory')
    if (head.toString('latin1', 0, 4) !== 'PK\x01\x02')
      throw new FormatError('directory', 'An entry of the central directory has no signature', at, 4)
    const [packed, size] = [head.readUInt32LE(20), head.readUInt32LE(24)]
    const [nameLength, extra, comment] = [head.readUInt16LE(28), head.readUInt16LE(30), head.readUInt16LE(32)]
    const offset = head.readUInt32LE(42)
    const name = (await reader.bytes(at + 46, nameLength, 'The name of an entry')).toString('latin1')
    total += size
    checkTotal(total, at)
    if (size > 1_048_576 && size > maxRatio * packed)
      throw new FormatError('ratio', `The entry ${JSON.stringify(name)} expands more than ${maxRatio} times`, at, 46)
    if (packed > 0) used.push([offset, offset + 30 + packed])
    entries.push({ name, size, offset })
    at += 46 + nameLength + extra + comment
  }
  used.sort(([a], [b]) => a - b)
  const overlap = used.find(([from], n) => n > 0 && from < (used[n - 1]?.[1] ?? 0))
  if (overlap) throw new FormatError('overlap', 'Entries of the archive overlap', overlap[0])
  return { format: 'zip', entries }
}

const listTar = async (reader: Reader): Promise<Archive> => {
  const entries: ArchiveEntry[] = []
  let total = 0
  for (let at = 0; reader.has(at, 512);) {
    const head = await reader.bytes(at, 512, 'A header')
    if (head.every((byte) => byte === 0)) break
    if (entries.length >= maxEntries) throw tooMany(at)
    if (head.toString('latin1', 257, 262) !== 'ustar')
      throw new FormatError('header', 'A header of the archive has no ustar magic', at + 257, 5)
    const size = Number.parseInt(text(head.subarray(124, 136)).trim() || '0', 8)
    if (!Number.isSafeInteger(size) || size < 0)
      throw new FormatError('header', 'The size of an entry is no octal number', at + 124, 12)
    total += size
    checkTotal(total, at)
    const prefix = text(head.subarray(345, 500))
    const name = text(head.subarray(0, 100))
    entries.push({ name: prefix ? `${prefix}/${name}` : name, size, offset: at })
    at += 512 + Math.ceil(size / 512) * 512
  }
  return { format: 'tar', entries }
}

const listCpio = async (reader: Reader): Promise<Archive> => {
  const entries: ArchiveEntry[] = []
  let total = 0
  for (let at = 0; reader.has(at, 110);) {
    const head = (await reader.bytes(at, 110, 'A header')).toString('latin1')
    if (!/^07070[12][\da-f]{104}$/i.test(head))
      throw new FormatError('header', 'A header of the archive has no cpio magic', at, 6)
    const [size, nameLength] = [Number.parseInt(head.slice(54, 62), 16), Number.parseInt(head.slice(94, 102), 16)]
    if (nameLength < 1 || nameLength > 4096)
      throw new FormatError('header', 'The name of an entry has no valid length', at + 94, 8)
    const name = text(await reader.bytes(at + 110, nameLength, 'The name of an entry'))
    if (name === 'TRAILER!!!') break
    if (entries.length >= maxEntries) throw tooMany(at)
    total += size
    checkTotal(total, at)
    entries.push({ name, size, offset: at })
    const dataAt = Math.ceil((at + 110 + nameLength) / 4) * 4
    at = Math.ceil((dataAt + size) / 4) * 4
  }
  return { format: 'cpio', entries }
}

/** Undefined for a file that is no archive of the three formats. */
export const listArchive = async (reader: Reader): Promise<Archive | undefined> => {
  if (!reader.has(0, 6)) return undefined
  const start = (await reader.bytes(0, 6, 'The magic number')).toString('latin1')
  if (start.startsWith('PK\x03\x04') || start.startsWith('PK\x05\x06')) return listZip(reader)
  if (/^07070[12]$/.test(start)) return listCpio(reader)
  if (reader.has(257, 5) && (await reader.bytes(257, 5, 'The magic number')).toString('latin1') === 'ustar')
    return listTar(reader)
  return undefined
}
