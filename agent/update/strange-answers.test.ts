import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isFull, repetitions } from '../../tests/support/counts'
import '../../tests/support/fixed-seed'
import { Refused } from '../api-client/http'
import type { Bounds } from '../core/wait'
import { page, type PlannedAnswer, rightAnswer, type StrangeAnswer, strangeNetwork } from '../testing/strange-network'
import { download, type ExpectedFile, type Options } from './download'

const file = randomBytes(500)
const expected: ExpectedFile = { path: '/file', size: file.length, sha256: createHash('sha256').update(file).digest('hex') }
const kept = 200

let network: Awaited<ReturnType<typeof strangeNetwork>>
let folder: string
let files = 0
beforeAll(async () => {
  network = await strangeNetwork(file)
  folder = mkdtempSync(join(tmpdir(), 'teasel-strange-'))
})
afterAll(() => network.close())
beforeEach(() => {
  network.plan.splice(0)
  network.seen.splice(0)
})

const options = (changes: Partial<Options> = {}): Options => ({
  retries: 3,
  firstDelayMs: 0,
  signal: new AbortController().signal,
  onResumed: () => {},
  onBytes: () => {},
  ...changes,
})

/** Downloads the file after the answers, with the first bytes on the disk or none. */
const fetchAfter = async (answers: readonly PlannedAnswer[], there: number, changes: Partial<Options> = {}, bounds?: Bounds) => {
  network.plan.splice(0, network.plan.length, ...answers)
  network.seen.splice(0)
  const target = join(folder, String(files++))
  if (there > 0) writeFileSync(`${target}.part`, file.subarray(0, there))
  const connection = { origin: network.url, timeoutMs: 5000, token: () => null, ...(bounds && { bounds }) }
  const ended = await download(connection, expected, target, options(changes)).catch((error: unknown) => error)
  return { ended, target }
}
const expectFile = async (answers: readonly StrangeAnswer[], there: number) => {
  const { ended, target } = await fetchAfter(answers, there)
  const text = `${JSON.stringify(answers)} after ${there}: ${String(ended)}`
  expect(ended, text).toBeUndefined()
  expect(readFileSync(target).equals(file), text).toBe(true)
}

const values: { [K in keyof StrangeAnswer]: readonly StrangeAnswer[K][] } = {
  status: [200, 203, 204, 206, 302, 304, 401, 403, 404, 407, 416, 429, 502, 511],
  range: ['none', 'earlier', 'later', 'whole', 'other total', 'unknown total', 'several'],
  offset: ['beginning', 'one later'],
  length: ['none', 'shorter', 'longer'],
  encoding: ['gzip', 'claimed', 'unknown'],
  body: ['one flipped byte', 'login page', 'empty', 'longer'],
  end: ['cut', 'ended early'],
}
const changes = Object.entries(values).flatMap(([field, all]) =>
  all.map((value) => ({ [field]: value }) as Partial<StrangeAnswer>),
)
const changed = (...some: Partial<StrangeAnswer>[]): StrangeAnswer => Object.assign({}, rightAnswer, ...some)
const fieldOf = (change: Partial<StrangeAnswer>) => Object.keys(change)[0]

it('one answer that a proxy or portal has changed in one or two ways leaves every byte where it belongs', async () => {
  const pairs = changes.flatMap((one, at) =>
    changes.slice(at + 1).flatMap((other) => (fieldOf(one) === fieldOf(other) ? [] : [changed(one, other)])),
  )
  const some = pairs.filter((_, at) => isFull || at % 7 === 0)
  for (const answer of [...changes.map((one) => changed(one)), ...some])
    for (const there of [0, kept]) await expectFile([answer], there)
})

it('several answers in a row that are changed in any way leave every byte where it belongs', async () => {
  const field = <K extends keyof StrangeAnswer>(name: K) => fc.constantFrom(rightAnswer[name], ...values[name])
  const answer = fc.record({
    status: field('status'),
    range: field('range'),
    offset: field('offset'),
    length: field('length'),
    encoding: field('encoding'),
    body: field('body'),
    end: field('end'),
  })
  const answers = fc.array(answer, { minLength: 1, maxLength: 2 })
  await fc.assert(fc.asyncProperty(answers, fc.constantFrom(0, kept), expectFile), { numRuns: repetitions(80, 5000) })
})

const login = { body: 'login page', range: 'none' } as const
it.each<[string, Partial<StrangeAnswer>]>([
  ['a login page', { ...login, status: 200 }],
  ['a redirect to a login page', { ...login, status: 302 }],
  ['an error page that knows no such address', { ...login, status: 404 }],
  ['a demand to sign in to a proxy', { ...login, status: 407 }],
  ['a refusal that is not of the server', { ...login, status: 401 }],
  ['a demand to sign in to the network', { ...login, status: 511 }],
  ['an answer that nothing was modified', { status: 304, body: 'empty' }],
  ['an answer without content', { status: 204, body: 'empty' }],
  ['several ranges', { range: 'several' }],
  ['a range that begins later', { range: 'later' }],
  ['a range of a file with another size', { range: 'other total' }],
  ['a range of an encoded file', { encoding: 'gzip' }],
])('keeps the bytes that are there where the answer is %s', async (_, change) => {
  await expectFile([changed(change)], kept)
  expect(network.seen.map(({ from }) => from)).toEqual([kept, kept])
})

it.each<[string, Partial<StrangeAnswer>, string, string]>([
  ['a login page', { ...login, status: 200 }, 'download_incomplete', `200, text/html, ${page.length} bytes`],
  ['a long answer', { body: 'longer', length: 'none' }, 'download_incomplete', 'more than the 500 bytes'],
  ['a page of a network', { ...login, status: 511 }, 'network_error', '511, from'],
  ['one flipped byte', { body: 'one flipped byte' }, 'hash_mismatch', '200, application/octet-stream, 500 bytes'],
])('a final failure by %s says where the bytes came from', async (_, change, code, source) => {
  const { ended, target } = await fetchAfter(
    Array.from({ length: 9 }, () => changed(change)),
    0,
    { retries: 2 },
  )
  expect(ended).toMatchObject({ code, message: expect.stringContaining(source) })
  expect(ended).toMatchObject({ message: expect.stringContaining(`from ${network.url}/file`) })
  expect([existsSync(target), network.seen.length]).toEqual([false, 3])
})

it('fetches again what is complete on the disk and was damaged there', async () => {
  const { target } = await fetchAfter([], 0)
  writeFileSync(target, Buffer.from(file).fill(0, 100, 200))
  const connection = { origin: network.url, timeoutMs: 5000, token: () => null }
  await download(connection, expected, target, options())
  expect(readFileSync(target).equals(file)).toBe(true)
})

it('waits as often as the server asks within the retries, and counts none of it as a failure', async () => {
  const busy = changed({ status: 429, body: 'empty' })
  const cut = changed({ body: 'empty', length: 'longer' })
  const { ended } = await fetchAfter([busy, cut, busy, cut, busy], 0, { retries: 3 })
  expect([ended, network.seen.length]).toEqual([undefined, 6])
})

it('counts no 503 that asks to wait, by its Retry-After, as a failure, and each one that does not', async () => {
  const waits = { leastS: 0, mostS: 60 }
  const away = (retryAfter?: number): PlannedAnswer => ({
    ...changed({ status: 503, body: 'empty' }),
    ...(retryAfter !== undefined && { retryAfter }),
  })
  const asked = await fetchAfter([away(0), away(0), away(0)], kept, { retries: 3 }, waits)
  expect([asked.ended, network.seen.length]).toEqual([undefined, 4])
  // Three of them leave all retries to three failures.
  const cut = changed({ body: 'empty', length: 'longer' })
  const mixed = await fetchAfter([away(0), cut, away(0), cut, away(0), cut], kept, { retries: 3 }, waits)
  expect([mixed.ended, network.seen.length]).toEqual([undefined, 7])
  const failed = await fetchAfter([away(), away(), away(), away()], kept, { retries: 3 }, waits)
  expect([failed.ended, network.seen.length]).toMatchObject([
    { code: 'network_error', message: expect.stringContaining('503') },
    4,
  ])
})

it('puts the update off where the server asks to wait without an end', async () => {
  const busy = changed({ status: 429, body: 'empty' })
  const { ended } = await fetchAfter(
    Array.from({ length: 9 }, () => busy),
    kept,
    { retries: 3 },
  )
  expect(ended).not.toBeInstanceOf(Refused)
  expect([(ended as Error).name, network.seen.length]).toEqual(['Withheld', 4])
})
