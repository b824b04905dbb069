import { createHash, randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { Readable } from 'node:stream'
import { afterEach, expect, it, vi } from 'vitest'
import { Hashes } from './hashes'

const bytes = randomBytes(100_001)
const sha256 = (end: number) => createHash('sha256').update(bytes.subarray(0, end)).digest('hex')
const read = vi.fn(async (_key: string, range?: { start: number; end: number }) =>
  Readable.from([bytes.subarray(range?.start, (range?.end ?? bytes.length - 1) + 1)]),
)
const failed = vi.fn<(error: Error) => void>()
let hashes = new Hashes(failed)
afterEach(async () => {
  await hashes.close()
  hashes = new Hashes(failed)
  read.mockClear()
})

const large = 2 ** 30
/** On one processor large uploads are hashed like small ones. */
const hasThread = availableParallelism() > 1
const next = async (offset: number, end: number, size: number, from: { read?: typeof read } = { read }) => {
  const hash = await hashes.upTo('one', { offset, size }, from)
  await hash?.update(bytes.subarray(offset, end))
  if (hash) hashes.keep('one', hash, end)
  return hash
}

it.each([
  ['small', 1000],
  ['large', large],
])('continues the hash of a %s upload, and reads again only what it does not know', async (_, size) => {
  await next(0, 400, size)
  expect(await (await next(400, 900, size))?.digest()).toBe(sha256(900))
  expect(read).not.toHaveBeenCalled()
  // As after bytes that another process has received.
  expect(await (await next(950, 1000, size))?.digest()).toBe(sha256(1000))
  expect(read).toHaveBeenCalledExactlyOnceWith('one', { start: 0, end: 949 })
  hashes.forget('one')
  expect(await (await next(1000, 1000, size))?.digest()).toBe(sha256(1000))
  expect(read).toHaveBeenCalledTimes(2)
})

it.runIf(hasThread)('a thread that ends costs the digest of that request and one read of the file', async () => {
  const hash = await next(0, 400, large)
  await hashes.close()
  expect(await (await next(400, 900, large))?.digest()).toBeUndefined()
  expect(await hash?.digest()).toBeUndefined()
  hashes.forget('one')
  expect(await (await next(900, 1000, large))?.digest()).toBe(sha256(1000))
  expect(read).toHaveBeenCalledTimes(1)
  expect(failed).not.toHaveBeenCalled()
})

it('hashes in this thread where an unfinished file cannot be read, and does not know a hash that it has not kept', async () => {
  await next(0, 400, large, {})
  await hashes.close()
  expect(await (await next(400, 900, large, {}))?.digest()).toBe(sha256(900))
  expect(await next(1000, 1000, large, {})).toBeUndefined()
})

it.runIf(hasThread)('releases a hash unless it is kept', async () => {
  const kept = await next(0, 400, large)
  hashes.release('one', kept)
  expect(await kept?.digest()).toBe(sha256(400))
  const other = await hashes.upTo('two', { offset: 0, size: large }, { read })
  hashes.release('two', other)
  await expect.poll(() => other?.digest()).toBeUndefined()
})
