import { randomBytes } from 'node:crypto'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { platform, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { appendToFile } from './append-file'
import { alignment, blockBytes, giveBlock, takeBlock } from './direct-writes'

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
