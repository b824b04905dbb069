import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 as zlibCrc, deflateRawSync, inflateRawSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { repetitions } from '../../tests/support/counts'
import { hostileNames } from '../../tests/support/hostile-names'
import { knownBombs, overlapZip } from '../../tests/support/overlap-zip'
import { archive } from '../testing/archive'
import { installFiles } from './install-files'
import { unpack } from './zip'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'teasel-zip-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

type Entry = {
  name: string
  data: Buffer
  stored?: boolean
  mode?: number
  says?: Partial<{ size: number; crc: number; offset: number; flags: number; method: number }>
}

/** Builds an archive by hand, so that it can also be malformed. */
const zip = (entries: Entry[]): string => {
  const locals: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, data, stored = false, mode = 0o100644, says = {} } of entries) {
    const packed = stored ? data : deflateRawSync(data)
    const title = Buffer.from(name)
    const method = says.method ?? (stored ? 0 : 8)
    const head = Buffer.alloc(30)
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(method, 8)
    head.writeUInt16LE(title.length, 26)
    locals.push(head, title, packed)
    const entry = Buffer.alloc(46)
    entry.writeUInt32LE(0x02014b50, 0)
    entry[5] = 3
    entry.writeUInt16LE(says.flags ?? 0, 8)
    entry.writeUInt16LE(method, 10)
    entry.writeUInt32LE(says.crc ?? zlibCrc(data), 16)
    entry.writeUInt32LE(packed.length, 20)
    entry.writeUInt32LE(says.size ?? data.length, 24)
    entry.writeUInt16LE(title.length, 28)
    entry.writeUInt16LE(mode, 40)
    entry.writeUInt32LE(says.offset ?? at, 42)
    directory.push(entry, title)
    at += 30 + title.length + packed.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(at, 16)
  const path = join(folder, 'archive.zip')
  writeFileSync(path, Buffer.concat([...locals, list, end]))
  return path
}
const file = (name: string, changes: Partial<Entry> = {}): Entry => ({
  name,
  data: Buffer.from(`content of ${name}`),
  ...changes,
})

describe('a zip archive', () => {
  it('gives its files with their modes, stored and deflated, without the folders', async () => {
    const path = zip([
      { name: 'bin/', data: Buffer.alloc(0), stored: true },
      file('bin/run', { mode: 0o100755 }),
      file('note', { stored: true }),
      { name: 'empty', data: Buffer.alloc(0), stored: true },
    ])
    const files = await unpack(path, join(folder, 'out'))
    expect(files.map(({ name, mode, source }) => [name, mode, readFileSync(source, 'utf8')])).toEqual([
      ['bin/run', 0o755, 'content of bin/run'],
      ['note', 0o644, 'content of note'],
      ['empty', 0o644, ''],
    ])
  })

  it('reads what another program wrote', async () => {
    writeFileSync(join(folder, 'made.zip'), archive)
    const [only] = await unpack(join(folder, 'made.zip'), join(folder, 'out'))
    expect([only?.name, only?.mode, readFileSync(only?.source ?? '', 'utf8')]).toEqual(['sub/a.txt', 0o640, 'a'.repeat(1000)])
  })

  it('drops the setuid, setgid and sticky bits', async () => {
    const [only] = await unpack(zip([file('run', { mode: 0o104755 })]), join(folder, 'out'))
    expect(only?.mode).toBe(0o755)
  })

  it.each<[string, Entry[], string]>([
    ['a name that climbs', [file('../evil')], 'leads outside'],
    ['a name that climbs later', [file('a/../../evil')], 'leads outside'],
    ['an absolute name', [file('/etc/passwd')], 'leads outside'],
    ['a name with a backslash', [file('a\\b')], 'leads outside'],
    ['a name with a NUL', [file('a\0b')], 'leads outside'],
    ['the same name twice', [file('a'), file('a')], 'twice'],
    ['a link', [file('a', { mode: 0o120777 })], 'is a link'],
    ['an encrypted file', [file('a', { says: { flags: 1 } })], 'encrypted'],
    ['an unknown packing', [file('a', { says: { method: 12 } })], 'unsupported compression'],
    ['a file longer than it says', [file('a', { says: { size: 3 } })], 'longer than it says'],
    ['a file shorter than it says', [file('a', { says: { size: 300 } })], 'damaged'],
    ['a wrong checksum', [file('a', { says: { crc: 1 } })], 'damaged'],
    ['files that overlap', [file('a'), file('b', { says: { offset: 0 } })], 'overlap'],
    ['a place outside', [file('a', { says: { offset: 0x7fffffff } })], 'overlap'],
    [
      'more than 10 GiB',
      [
        file('a', { says: { size: 0xfffffff0 } }),
        file('b', { says: { size: 0xfffffff0 } }),
        file('c', { says: { size: 0xfffffff0 } }),
      ],
      '10 GiB',
    ],
    ['more than 10,000 entries', Array.from({ length: 10_001 }, (_, n) => file(`${n}`, { stored: true })), '10000 entries'],
    ['a part of a name of 256 B', [file('a/' + 'x'.repeat(256))], 'too long'],
    ['a name of 4,096 B', [file('x/'.repeat(2047) + 'ñ')], 'too long'],
    ['more than 100 times its own length', [{ name: 'a', data: Buffer.alloc(100_000) }], '100 times'],
  ])('T-15 is refused with %s', async (_, entries, message) => {
    await expect(unpack(zip(entries), join(folder, 'out'))).rejects.toThrow(message)
  })

  it.each([
    ['as long as it says', (end: Buffer) => end],
    ['with a directory before it', (end: Buffer) => Buffer.concat([Buffer.alloc(46), end])],
  ])('is refused when its comment holds another end record, %s', async (_, inside) => {
    const path = zip([file('a')])
    const whole = readFileSync(path)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    const comment = inside(end)
    end.writeUInt32LE(whole.length + comment.length - end.length, 16)
    whole.writeUInt16LE(comment.length, whole.length - 2)
    writeFileSync(path, Buffer.concat([whole, comment]))
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('more than one end')
  })

  it('takes a comment that only looks like an end record', async () => {
    const path = zip([file('a')])
    const whole = readFileSync(path)
    const comment = Buffer.from('PK\x05\x06 is how an archive ends, people say')
    whole.writeUInt16LE(comment.length, whole.length - 2)
    writeFileSync(path, Buffer.concat([whole, comment]))
    expect((await unpack(path, join(folder, 'out'))).map(({ name }) => name)).toEqual(['a'])
  })

  it('is refused when its end record names a directory that is not in front of it', async () => {
    const decoy = readFileSync(zip([file('decoy')]))
    const real = readFileSync(zip([file('real')]))
    const path = join(folder, 'two.zip')
    // The first archive without its end record, then the second one, whose end record points to the directory of the first.
    const both = Buffer.concat([decoy.subarray(0, -22), real])
    decoy.copy(both, both.length - 10, decoy.length - 10, decoy.length - 2)
    writeFileSync(path, both)
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('not in front of its end')
  })

  it('is refused when an entry has another name at its bytes than in the directory', async () => {
    const path = zip([file('safe')])
    const whole = readFileSync(path)
    whole.write('evil', 30, 'latin1')
    writeFileSync(path, whole)
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('another name')
  })

  it('is refused when an entry reaches into the next by the length of its extra field', async () => {
    const path = zip([file('a', { stored: true }), file('b', { stored: true })])
    const whole = readFileSync(path)
    whole.writeUInt16LE(20, 28)
    writeFileSync(path, whole)
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('overlap')
  })

  it('is refused when only the comment of an inner end record reaches the end of the file', async () => {
    const path = zip([file('a')])
    const whole = readFileSync(path)
    const inner = Buffer.alloc(22)
    inner.writeUInt32LE(0x06054b50, 0)
    // The outer record says that its comment ends earlier; the inner one names no entry.
    whole.writeUInt16LE(3, whole.length - 2)
    writeFileSync(path, Buffer.concat([whole, inner]))
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('not in front of its end')
  })

  it('is refused when it contains no file, or more files than its end record counts', async () => {
    await expect(unpack(zip([]), join(folder, 'out'))).rejects.toThrow('contains no files')
    const path = zip([file('a'), file('b')])
    const whole = readFileSync(path)
    whole.writeUInt16LE(1, whole.length - 12)
    writeFileSync(path, whole)
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('longer than it says')
  })

  it.each([
    ['cut off', (bytes: Buffer) => bytes.subarray(0, -30)],
    ['something else', () => Buffer.from('#!/bin/sh')],
    ['empty', () => Buffer.alloc(0)],
  ])('is refused when it is %s', async (_, spoil) => {
    const path = zip([file('a')])
    writeFileSync(path, spoil(readFileSync(path)))
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('not a zip archive')
  })
})

describe('T-15: an archive at its limits', () => {
  it('is unpacked with a name of 4,095 B', async () => {
    const long = 'x/'.repeat(2047) + 'y'
    expect((await unpack(zip([file(long)]), join(folder, 'out'))).map(({ name }) => name)).toEqual([long])
  })

  it('is unpacked at 100 times its own length, and not with one byte more', async () => {
    const noise = { name: 'b', data: Buffer.alloc(1000), stored: true }
    const holding = (size: number) => zip([{ name: 'a', data: Buffer.alloc(size) }, noise])
    const mostFor = (size: number) => 100 * readFileSync(holding(size)).length - noise.data.length
    let size = 100_000
    while (mostFor(size) !== size) size = mostFor(size)
    expect((await unpack(holding(size), join(folder, 'out'))).map(({ name }) => name)).toEqual(['a', 'b'])
    await expect(unpack(holding(size + 1), join(folder, 'out'))).rejects.toThrow('100 times')
  })

  it('is refused without being read when its directory is larger than 16 MiB', async () => {
    const path = join(folder, 'archive.zip')
    const size = 3 * 2 ** 30
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(1, 10)
    end.writeUInt32LE(size, 12)
    // A sparse file: it takes no space on the disk.
    writeFileSync(path, '')
    truncateSync(path, size)
    writeFileSync(path, end, { flag: 'a' })
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow('larger than 16 MiB')
  })
})

describe('T-15: overlapping entries, each of which can be unpacked', () => {
  it('each entry of such an archive unpacks to its size and checksum', () => {
    const { bytes, entries, total } = overlapZip({ count: 20, piece: 10_000, pieces: 3 })
    for (const { name, offset, packed, size, crc } of entries) {
      const data = inflateRawSync(bytes.subarray(offset + 30 + name.length).subarray(0, packed))
      expect([data.length, zlibCrc(data)]).toEqual([size, crc])
    }
    expect(total / bytes.length).toBeGreaterThan(100)
  })

  it.each<[string, Parameters<typeof overlapZip>[0], string]>([
    ['20 entries', { count: 20, piece: 10_000, pieces: 1 }, 'overlap'],
    ['10,000 entries', { count: 10_000, piece: 10_000, pieces: 1 }, 'overlap'],
    ...knownBombs
      .map(([name, made]): [string, typeof made, string] => [name, made, made.count > 10_000 ? '10000 entries' : 'overlap'])
      .slice(0, repetitions(1, 2)),
  ])('an archive of overlapping entries is refused before anything is unpacked: %s', async (_, made, message) => {
    const path = join(folder, 'archive.zip')
    writeFileSync(path, overlapZip(made).bytes)
    await expect(unpack(path, join(folder, 'out'))).rejects.toThrow(message)
    expect(readdirSync(join(folder, 'out'))).toEqual([])
  })
})

it('T-15: each of 150 hostile names is refused or names a file inside the install directory', async () => {
  expect(new Set(hostileNames).size).toBe(150)
  const [root, own] = [join(folder, 'root'), join(folder, 'own')]
  for (const path of [root, own]) mkdirSync(path)
  let taken = 0
  for (const name of hostileNames) {
    const written = name.toWellFormed()
    const path = zip([file(name, { stored: true })])
    const files = await unpack(path, join(own, 'out')).catch((error: unknown) => String(error))
    if (typeof files === 'string') {
      expect(files, JSON.stringify(name)).toMatch(/leads outside: "|name is too long: "|contains no files/)
      expect(readdirSync(join(own, 'out'))).toEqual([])
      continue
    }
    expect(readdirSync(join(own, 'out'))).toEqual(['0'])
    const placed = files.map((one) => ({ ...one, location: `/opt/app/${one.name}` }))
    await installFiles(placed, { root, own, backup: join(own, 'backup') })
    taken++
    const place = join(root, 'opt/app', written)
    const found = readdirSync(root, { recursive: true, withFileTypes: true }).filter((one) => !one.isDirectory())
    expect(
      found.map((one) => join(one.parentPath, one.name)),
      JSON.stringify(name),
    ).toEqual([place])
    expect(readdirSync(root)).toEqual(['opt'])
    expect(readdirSync(join(root, 'opt'))).toEqual(['app'])
    expect(readFileSync(place, 'utf8')).toBe(`content of ${name}`.toWellFormed())
    for (const left of ['backup', 'out']) rmSync(join(own, left), { recursive: true })
    rmSync(join(root, 'opt'), { recursive: true })
    expect(readdirSync(folder).toSorted()).toEqual(['archive.zip', 'own', 'root'])
  }
  expect(taken).toBeGreaterThan(50)
  expect(taken).toBeLessThan(130)
  expect(readdirSync(tmpdir()).filter((name) => name.includes('teasel-t15'))).toEqual([])
})
