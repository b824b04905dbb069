import { pino } from 'pino'
import { afterAll, expect, it, vi } from 'vitest'
import type { ByteReader } from '../storage/stored-bytes'
import { defineReading, ReadingThreads, readingMemoryMb, secondsFor } from './reading-threads'
import type { Task } from './reading-thread'
import { WorkClock } from './work-clock'

const threads = new ReadingThreads(1, new URL('./testing/odd-program.mjs', import.meta.url), 24)
afterAll(() => threads.close())

const task = (reader: string, facts: Partial<Task> = {}): Task => ({
  reader,
  given: null,
  files: [],
  batches: undefined,
  take: undefined,
  seconds: 300,
  ...facts,
})
const fileOf = (text: string): ByteReader => ({
  size: text.length,
  read: async (offset, length) => Buffer.from(text).subarray(offset, offset + length),
})
async function* numbers() {
  yield 1
  yield 2
}
const copy = { given: { a: [1] }, found: ['abcd', 'ef', 'g'], hasSecrets: false }
const files = [fileOf('abcdef'), fileOf('g')]

it('a reader gets its input, files and batches, knows no variables, and passes on pieces in order', async () => {
  const taken: unknown[] = []
  const take = (piece: unknown) => void taken.push(piece)
  const found = await threads.run(task('copy', { given: { a: [1] }, files, batches: numbers(), take }))
  expect(found).toEqual({ kind: 'read', result: copy })
  expect(taken).toEqual([2, 4])
})

it.each([
  ['endless', { seconds: 0.5 }, 'time', /^Reading it took longer than 0.5 s$/],
  ['greedy', {}, 'memory', /^Reading it needs more than 24 MB of memory$/],
  ['broken', {}, 'failure', /a mistake in a reader/],
  ['loose', {}, 'failure', /outside of a promise/],
  ['gone', {}, 'failure', /ended with code 3/],
  ['unknown', {}, 'failure', /no reader unknown/],
])('a reader that is %s is an outcome, the process goes on, and the next file is read', async (reader, facts, by, text) => {
  const [stopped, next] = await Promise.all([
    threads.run(task(reader, facts)),
    threads.run(task('copy', { given: { a: [1] }, files })),
  ])
  expect(stopped).toEqual({ kind: 'stopped', by, text: expect.stringMatching(text) })
  expect(next).toEqual({ kind: 'read', result: copy })
})

it('a file that cannot be read, and a piece that cannot be taken, say nothing about the file: they reject', async () => {
  const away = { size: 8, read: () => Promise.reject(new Error('away')) }
  await expect(threads.run(task('copy', { files: [away] }))).rejects.toThrow('away')
  const take = () => {
    throw new Error('no room')
  }
  await expect(threads.run(task('copy', { batches: numbers(), take }))).rejects.toThrow('no room')
  expect(await threads.run(task('copy', { given: { a: [1] }, files }))).toEqual({ kind: 'read', result: copy })
})

it('an error of a reader is in the log, and not in what is said about the file', async () => {
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const outcome = await defineReading<null, null>('broken', 'jobs')({ given: null, log }, threads)
  expect(outcome).toMatchObject({ kind: 'stopped', text: 'It could not be read' })
  expect(lines.join('')).toMatch(/a mistake in a reader/)
})

it('the time of a thread begins with its program, ends while it waits for bytes, and goes on after them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const ended = vi.fn<() => void>()
    const clock = new WorkClock(secondsFor(0), ended)
    const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)
    await pass(3600)
    clock.resume()
    await pass(secondsFor(0) - 1)
    clock.pause()
    clock.pause()
    await pass(3600)
    clock.resume()
    await pass(3600)
    clock.resume()
    await pass(0.5)
    expect(ended).not.toHaveBeenCalled()
    await pass(1)
    await expect.poll(() => ended).toHaveBeenCalledOnce()
    const other = new WorkClock(secondsFor(0), ended)
    other.resume()
    other.stop()
    await pass(3600)
    expect(ended).toHaveBeenCalledOnce()
  } finally {
    vi.useRealTimers()
  }
})

it('the largest file has the time to be searched at 16 MiB in a second', () => {
  expect([secondsFor(0), secondsFor(16_777_216), secondsFor(3.5 * 1024 ** 3)]).toEqual([30, 31, 254])
  expect(readingMemoryMb).toBe(256)
})
