import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { appendToFile } from './append-file'
import { alignment, blockBytes, giveBlock, mostBlocks, takeBlock } from './direct-writes'

let directory: string
let path: string
/** What `write` of a file handle, which only direct writes use, was called with. */
const spyOnWrites = async () => {
  const file = await open(path)
  const handles = Object.getPrototypeOf(file) as typeof file
  await file.close()
  return vi.spyOn(handles, 'write')
}
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-append-'))
  path = join(directory, 'file')
  await writeFile(path, '')
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(directory, { recursive: true, force: true })
})

const bytes = randomBytes(29_999_999)
/** Writes from one offset to another in chunks of odd sizes, as they come from sockets. */
const write = async (start: number, end: number) => {
  const appender = await appendToFile(path, { offset: start })
  for (let at = start, n = 0; at < end; n++) {
    const next = Math.min(end, at + (n % 5 === 0 ? 1 : 65_521))
    await appender.write(bytes.subarray(at, next))
    at = next
  }
  await appender.flush()
  return appender.end()
}
/** How many blocks no file has. */
const freeBlocks = () => {
  const taken: Buffer[] = []
  for (let block = takeBlock(); block; block = takeBlock()) taken.push(block)
  taken.forEach(giveBlock)
  return taken.length
}
const stored = async (end = bytes.length) => (await readFile(path)).equals(bytes.subarray(0, end))

it.runIf(platform() === 'linux')('F-17: writes what arrives fast directly, in aligned blocks, from any offset', async () => {
  const direct = await spyOnWrites()
  const cuts = [0, 1, 3_000_000, 3_000_003, bytes.length]
  for (const [n, end] of cuts.slice(1).entries()) expect(await write(cuts[n] ?? 0, end)).toBe(end)
  expect(await stored()).toBe(true)
  const calls = direct.mock.calls as unknown as [Buffer, number, number, number][]
  expect(calls.length).toBeGreaterThan(2)
  for (const [, , length, position] of calls) expect([length, position % alignment]).toEqual([blockBytes, 0])
})

it('writes the same bytes where direct writes are refused, or end early', async () => {
  const direct = await spyOnWrites()
  direct.mockRejectedValueOnce(Object.assign(new Error('EINVAL'), { code: 'EINVAL' }))
  direct.mockResolvedValueOnce({ bytesWritten: 0, buffer: '' })
  expect(await write(0, bytes.length)).toBe(bytes.length)
  expect(await stored()).toBe(true)
})

it('writes the same bytes while other files take all memory for direct writes', async () => {
  const taken: Buffer[] = []
  for (let block = takeBlock(); block; block = takeBlock()) taken.push(block)
  const direct = await spyOnWrites()
  expect(await write(0, bytes.length)).toBe(bytes.length)
  expect(direct).not.toHaveBeenCalled()
  taken.forEach(giveBlock)
  expect(await stored()).toBe(true)
})

it('frees the memory of chunks that are its own, and of no others', async () => {
  const chunks = () => Array.from({ length: 3 }, (_, n) => Buffer.from(new ArrayBuffer(blockBytes)).fill(n + 1))
  const [kept, own] = [chunks(), chunks()]
  for (const [at, some] of [kept, own].entries()) {
    const appender = await appendToFile(path, { offset: at * 3 * blockBytes, ownsChunks: at === 1 })
    for (const chunk of some) await appender.write(chunk)
    await appender.end()
  }
  expect([kept, own].map((some) => some.map(({ length }) => length))).toEqual([
    [blockBytes, blockBytes, blockBytes],
    [0, 0, 0],
  ])
  expect((await readFile(path)).equals(Buffer.concat([...kept, ...chunks()]))).toBe(true)
})

/** A hash in another thread: it reads bytes some turns of the event loop later. */
const slowHash = () => {
  const read: Buffer[] = []
  let last: Promise<void> = Promise.resolve()
  const update = (chunk: Buffer) => {
    last = last.then(() => pause()).then(() => void read.push(Buffer.from(chunk)))
    return last
  }
  return { update, bytes: () => Buffer.concat(read) }
}

it('passes all bytes to the hash in their order, and gives all blocks back', async () => {
  const hash = slowHash()
  for (const [start, end] of [
    [0, 5_000_003],
    [5_000_003, bytes.length],
  ] as const) {
    const appender = await appendToFile(path, { offset: start, hash })
    for (let at = start; at < end; at += 65_521) await appender.write(bytes.subarray(at, Math.min(end, at + 65_521)))
    expect(await appender.end()).toBe(end)
    expect(hash.bytes().equals(bytes.subarray(0, end))).toBe(true)
  }
  expect(await stored()).toBe(true)
  expect(freeBlocks()).toBe(mostBlocks)
})

it.runIf(platform() === 'linux')('fills a block again only after the hash has read it', async () => {
  const direct = await spyOnWrites()
  const read: Buffer[] = []
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const hash = { update: (chunk: Buffer) => opened.then(() => void read.push(Buffer.from(chunk))) }
  const appender = await appendToFile(path, { offset: 0, hash })
  const end = 8 * blockBytes
  for (let at = 0; at < end; at += blockBytes) void appender.write(bytes.subarray(at, at + blockBytes))
  // The hash has all blocks that a file may have, and reads none yet.
  await expect.poll(() => direct.mock.calls.length, { interval: 5 }).toBeGreaterThanOrEqual(4)
  open()
  expect(await appender.end()).toBe(end)
  expect(Buffer.concat(read).equals(bytes.subarray(0, end))).toBe(true)
  expect(await stored(end)).toBe(true)
})

it('gives all blocks back when a write fails, after the hash has read them', async () => {
  const direct = await spyOnWrites()
  const file = await open(path)
  const handles = Object.getPrototypeOf(file) as typeof file
  await file.close()
  direct.mockRejectedValue(new Error('EIO'))
  vi.spyOn(handles, 'writev').mockRejectedValue(new Error('EIO'))
  const hash = slowHash()
  const appender = await appendToFile(path, { offset: 0, hash })
  for (let n = 0; n < 4; n++) void appender.write(bytes.subarray(n * blockBytes, (n + 1) * blockBytes))
  await expect(appender.flush()).rejects.toThrow('EIO')
  expect(await appender.end()).toBe(0)
  expect(freeBlocks()).toBe(mostBlocks)
})

it('does not hold back what arrives slowly, and tells what a checkpoint has made durable', async () => {
  const appender = await appendToFile(path, { offset: 0 })
  await appender.write(bytes.subarray(0, 1000))
  await expect.poll(() => stored(1000), { interval: 5 }).toBe(true)
  expect(await appender.checkpoint()).toBe(1000)
  await appender.write(bytes.subarray(1000, 1001))
  expect(await appender.end()).toBe(1001)
  expect(await stored(1001)).toBe(true)
})

it('F-17: reports a failed write, and never more bytes than were written before it', async () => {
  const file = await open(path)
  const handles = Object.getPrototypeOf(file) as typeof file
  await file.close()
  const appender = await appendToFile(path, { offset: 0 })
  vi.spyOn(handles, 'writev').mockRejectedValue(new Error('ENOSPC'))
  await appender.write(bytes.subarray(0, 1000))
  await expect(appender.flush()).rejects.toThrow('ENOSPC')
  await expect(appender.write(bytes.subarray(1000, 2000))).rejects.toThrow('ENOSPC')
  expect(await appender.end()).toBe(0)
})
