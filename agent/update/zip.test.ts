import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 as zlibCrc, deflateRawSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { archive } from '../testing/archive'
import { unpack } from './zip'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'teasel-zip-'))))

type Entry = {
  name: string
  data: Buffer
  stored?: boolean
  mode?: number
  says?: Partial<{ size: number; crc: number; offset: number; flags: number; method: number }>
}

/** Writes an archive by hand, so that it can also be written wrongly. */
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

  it('drops the bits that would lend rights', async () => {
    const [only] = await unpack(zip([file('run', { mode: 0o104755 })]), join(folder, 'out'))
    expect(only?.mode).toBe(0o755)
  })

  it.each<[string, Entry[], string]>([
    ['a name that climbs', [file('../evil')], 'leads elsewhere'],
    ['a name that climbs later', [file('a/../../evil')], 'leads elsewhere'],
    ['an absolute name', [file('/etc/passwd')], 'leads elsewhere'],
    ['a name with a backslash', [file('a\\b')], 'leads elsewhere'],
    ['a name with a NUL', [file('a\0b')], 'leads elsewhere'],
    ['the same name twice', [file('a'), file('a')], 'twice'],
    ['a link', [file('a', { mode: 0o120777 })], 'is a link'],
    ['an encrypted file', [file('a', { says: { flags: 1 } })], 'encrypted'],
    ['an unknown packing', [file('a', { says: { method: 12 } })], 'not taken'],
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
    // The first archive without its end, then the second one, whose end names the directory of the first.
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

  it('is refused when it holds no file, or more than its end tells of', async () => {
    await expect(unpack(zip([]), join(folder, 'out'))).rejects.toThrow('holds no files')
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
