import { createHash, randomBytes } from 'node:crypto'
import { afterEach, expect, it, vi } from 'vitest'
import { HashingThread } from './hashing-thread'

const bytes = randomBytes(3_000_001)
const sha256 = (of: Buffer) => createHash('sha256').update(of).digest('hex')
const shared = (of: Buffer) => {
  const copy = Buffer.from(new SharedArrayBuffer(of.length))
  of.copy(copy)
  return copy
}
/** From odd position to odd position, with an empty piece and pieces of a byte. */
const cuts = [0, 0, 1, 2, 65, 4097, 70_000, 1_048_583, 2_999_999, bytes.length]
const pieces = cuts.slice(1).map((end, n) => bytes.subarray(cuts[n], end))

const failed = vi.fn<(error: Error) => void>()
let thread = new HashingThread(failed)
afterEach(async () => {
  await thread.close()
  thread = new HashingThread(failed)
  failed.mockReset()
})

it.each([
  ['shared', shared],
  ['own', (of: Buffer) => of],
])('has the digests of the same bytes in this thread, in pieces of odd sizes in %s memory', async (_, place) => {
  const hash = thread.start()
  for (const [n, piece] of pieces.entries()) {
    void hash.update(place(piece))
    if (n % 3 === 0) expect(await hash.digest()).toBe(sha256(bytes.subarray(0, cuts[n + 1])))
  }
  expect(await hash.digest()).toBe(sha256(bytes))
})

it('has read the bytes when an update resolves, and has a copy of those that are not shared at once', async () => {
  const hash = thread.start()
  const block = shared(bytes)
  await hash.update(block)
  block.fill(0)
  const chunk = Buffer.from(bytes)
  const updated = hash.update(chunk)
  chunk.fill(0)
  await updated
  expect(await hash.digest()).toBe(sha256(Buffer.concat([bytes, bytes])))
})

it('keeps hashes of several uploads apart', async () => {
  const hashes = Array.from({ length: 5 }, () => thread.start())
  for (const piece of pieces) for (const [n, hash] of hashes.entries()) void hash.update(n % 2 === 0 ? piece : shared(piece))
  void hashes[3]?.update(Buffer.from('more'))
  const whole = sha256(bytes)
  const more = sha256(Buffer.concat([bytes, Buffer.from('more')]))
  expect(await Promise.all(hashes.map((hash) => hash.digest()))).toEqual([whole, whole, whole, more, whole])
})

it('ends with close: its hashes have no digest, updates still resolve, and the next hash starts another thread', async () => {
  const hash = thread.start()
  await hash.update(bytes)
  const running = Array.from({ length: 20 }, async () => hash.update(bytes))
  await thread.close()
  await Promise.all(running)
  await hash.update(bytes)
  expect(await hash.digest()).toBeUndefined()
  const next = thread.start()
  await next.update(bytes)
  expect(await next.digest()).toBe(sha256(bytes))
  expect(failed).not.toHaveBeenCalled()
})

it('reports a thread that fails, and does not fail with it', async () => {
  const broken = new HashingThread(failed, new URL(`data:text/javascript,${encodeURIComponent("throw new Error('no memory')")}`))
  const hash = broken.start()
  await hash.update(bytes)
  expect(await hash.digest()).toBeUndefined()
  await expect.poll(() => failed.mock.calls.map(([error]) => error.message)).toEqual(['no memory'])
})
