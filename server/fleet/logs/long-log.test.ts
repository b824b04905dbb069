import { sql } from 'drizzle-orm'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ulid } from 'ulid'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deviceLogVolume, deviceSystemLogs, examinedLines, exportSystemLogs } from '../../../contract/fleet/device-logs'
import type { AnswerOf, QueryOf } from '../../../contract/core/endpoint'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { type Read, readOf } from '../../../tests/support/blocks'
import { isFull, repetitions } from '../../../tests/support/counts'
import type { Person } from '../../../tests/support/people'
import { newRow } from '../../core/database/row'
import { withClient } from '../../core/database/roles'
import { root } from '../../core/root'
import { devices } from '../schema/devices'
import { within } from '../../../tests/support/machine-load'

const sizes = [repetitions(30_000, 100_000), repetitions(120_000, 1_000_000)] as const

let api: TestApi
let ann: Person
let projectId: string
const logs: { id: string; lines: number }[] = []
let begin = 0
/** Lines are a second apart in the long log, and further in the short one: both cover the same time. */
const timeOf = (lines: number, sequence: number) => begin + ((sequence - 1) * sizes[1] * 1000) / lines / spread
/** A million seconds are more than a development plan keeps. */
const spread = repetitions(1, 8)

type Measured = { request: string; lines: number; returned: number } & Read
const measured: Measured[] = []

const seedLog = async (lines: number) => {
  const now = api.deps.clock()
  const id = ulid()
  const facts = { id, projectId, name: id, hardwareModel: 'gw', lifecycle: 'active', enrollment: 'group' } as const
  await api.db.insert(devices).values({ ...newRow(now), ...facts })
  for (let from = 1; from <= lines; from += 10_000)
    await api.db.execute(sql`
      insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, boot_id, message, fields)
      select ${projectId}, ${id}, n, at, to_timestamp(at / 1000.0), case when n % 500 = 0 then 3 when n % 20 = 0 then 4 else 6 end,
        (array['mosquitto', 'app', 'kernel', 'sshd'])[1 + n % 4], 'boot-1',
        'Client station-' || n % 97 || ' connected from 10.20.' || n % 256 || '.7:40123 (p2, c1, k60), number ' || n, '{}'
      from generate_series(${from}::int, ${Math.min(lines, from + 9999)}::int) as n,
        lateral (select (${begin}::float8 + (n - 1) * ${sizes[1]}::float8 * 1000 / ${lines}::float8 / ${spread}::float8)::bigint as at) as moment`)
  await api.db.execute(sql`
    insert into log_feeds (project_id, device_id, tokens, refilled_at, last_sequence, units)
    values (${projectId}, ${id}, 0, ${now.toISOString()}, ${lines}, array['mosquitto', 'app', 'kernel', 'sshd'])`)
  logs.push({ id, lines })
}

beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  begin = api.deps.clock().getTime() - (sizes[1] * 1000) / spread - 60_000
  for (const lines of sizes) await seedLog(lines)
  await withClient(api.ownerUrl, (client) => client.query('vacuum analyze device_logs'))
}, within(600_000))
afterAll(async () => {
  const folder = join(root, 'test-results')
  await mkdir(folder, { recursive: true })
  if (isFull) await writeFile(join(folder, 'long-log.json'), JSON.stringify(measured, null, 2))
  await api.close()
})

const read = async (deviceId: string, query: QueryOf<typeof deviceSystemLogs>): Promise<AnswerOf<typeof deviceSystemLogs>> => {
  const { status, text, body } = await api.call(deviceSystemLogs, { deviceId }, { as: ann, query })
  expect(status, text).toBe(200)
  return body
}

const middle = (lines: number) => timeOf(lines, Math.floor(lines / 2))

it.each<[string, (log: { id: string; lines: number }) => Promise<{ lines?: unknown[]; buckets?: unknown[] }>]>([
  ['the first page', ({ id }) => read(id, { limit: 200 })],
  ['a page in the middle', ({ id, lines }) => read(id, { limit: 200, before_sequence: Math.floor(lines / 2) })],
  ['new lines, if there are none', ({ id, lines }) => read(id, { limit: 200, after_sequence: lines })],
  ['a jump to a time', ({ id, lines }) => read(id, { limit: 200, at: middle(lines) })],
  ['a span of time', ({ id, lines }) => read(id, { limit: 200, from: middle(lines), to: middle(lines) + 60_000 })],
  ['errors', ({ id }) => read(id, { limit: 20, level_max: 'err' })],
  ['units', ({ id }) => read(id, { limit: 200, unit: 'app,kernel' })],
  ['a text in many lines', ({ id }) => read(id, { limit: 200, q: 'station-3' })],
  ['a text in no line', ({ id }) => read(id, { limit: 200, q: 'nowhere' })],
  ['a boot that left no line', ({ id }) => read(id, { limit: 200, boot_id: 'boot-0' })],
  ['the volume of an hour', async ({ id }) => (await api.call(deviceLogVolume, { deviceId: id }, { as: ann, query: {} })).body],
])('%s reads as few blocks of a long log as of a short one', async (request, ask) => {
  const [short, long] = [logs[0], logs[1]].map((log) => {
    if (!log) throw new Error('There are two logs.')
    return log
  }) as [{ id: string; lines: number }, { id: string; lines: number }]
  const measure = async (log: { id: string; lines: number }) => {
    let returned = 0
    const found = await readOf(api, async () => {
      const answer = await ask(log)
      returned = (answer.lines ?? answer.buckets ?? []).length
    })
    measured.push({ request, lines: log.lines, returned, ...found })
    return found
  }
  const small = await measure(short)
  const large = await measure(long)
  // A level more of each index in each partition, and a few looks more to halve a longer log. A volume reads the lines of its hour.
  const ofHour = request === 'the volume of an hour' ? (sizes[1] * 3600) / (sizes[1] / spread) : 0
  expect(large.blocks, `${small.blocks} blocks of the short log`).toBeLessThanOrEqual(small.blocks * 1.5 + 400 + ofHour)
  expect(large.rows).toBeLessThanOrEqual(2 * examinedLines + 500)
})

it('a jump begins with the first line at or after its time', async () => {
  for (const { id, lines } of logs) {
    for (const sequence of [1, 2, Math.floor(lines / 3), lines - 1]) {
      const at = Math.ceil(timeOf(lines, sequence))
      const { lines: found, at_sequence } = await read(id, { at, limit: 1 })
      expect([found[0]?.sequence, at_sequence]).toEqual([sequence, sequence])
      const between = await read(id, { at: at + 1, limit: 1 })
      expect(between.lines[0]?.sequence).toBe(sequence + 1)
    }
    // Nothing is later: the newest lines.
    const { lines: last, at_sequence } = await read(id, { at: timeOf(lines, lines) + 60_000, limit: 2 })
    expect([last.at(-1)?.sequence, at_sequence]).toEqual([lines, null])
  }
})

it('a text far back is found page by page, each of which looks at a bounded number of lines', async () => {
  const log = logs[1]
  if (!log) throw new Error('There are two logs.')
  const found: number[] = []
  let pages = 0
  for (let before: number | undefined; ;) {
    const page = await read(log.id, { limit: 50, q: 'number 77', ...(before !== undefined && { before_sequence: before }) })
    pages++
    found.push(...page.lines.map(({ sequence }) => sequence).toReversed())
    if (page.next_cursor === null) break
    expect(before === undefined || Number(page.next_cursor) < before).toBe(true)
    before = Number(page.next_cursor)
  }
  expect(pages).toBeGreaterThanOrEqual(log.lines / examinedLines)
  const expected = Array.from({ length: log.lines }, (_, n) => log.lines - n).filter((n) => String(n).startsWith('77'))
  expect(found).toEqual(expected)
})

it('an export has every line of its filter once, oldest first, as NDJSON or text', async () => {
  const log = logs[0]
  if (!log) throw new Error('There are two logs.')
  const exported = async (query: QueryOf<typeof exportSystemLogs>) => {
    const { status, text } = await api.call(exportSystemLogs, { deviceId: log.id }, { as: ann, query })
    expect(status).toBe(200)
    return text.split('\n').filter(Boolean)
  }
  const all = await exported({})
  expect(all.map((line) => (JSON.parse(line) as { sequence: number }).sequence)).toEqual(
    Array.from({ length: log.lines }, (_, n) => n + 1),
  )
  const errors = await exported({ level_max: 'err', format: 'text' })
  expect(errors).toHaveLength(Math.floor(log.lines / 500))
  expect(errors[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z err {5}\w+: Client station-\d+ connected .*number 500$/)
  const [from, to] = [timeOf(log.lines, 100), timeOf(log.lines, 200)].map(Math.ceil) as [number, number]
  expect(await exported({ from, to })).toHaveLength(100)
})
