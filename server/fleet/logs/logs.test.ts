import { sql } from 'drizzle-orm'
import { ulid } from 'ulid'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LogsAnswer } from '../../../contract/device/api'
import * as wire from '../../../contract/device/endpoints'
import { deviceSystemLogs } from '../../../contract/fleet/device-logs'
import type { AnswerOf } from '../../../contract/core/endpoint'
import { createLogSummary, logSummary } from '../../../contract/fleet/log-summaries'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { repetitions } from '../../../tests/support/counts'
import type { Person } from '../../../tests/support/people'
import { newRow } from '../../core/database/row'
import { formatTimestamp } from '../../core/timestamps'
import { issueDeviceToken } from '../devices/device-token.repository'
import { devices } from '../schema/devices'
import { logFeeds } from '../schema/telemetry'
import { applyRetention } from '../telemetry/retention'
import { within } from '../../../tests/support/machine-load'

let api: TestApi
let ann: Person
let projectId: string
let device: { id: string; token: string }

beforeAll(async () => {
  api = await createTestApi()
})
afterAll(() => api.close())

const newDevice = async (lifecycle: 'active' | 'pending' = 'active') => {
  const now = api.deps.clock()
  const id = ulid()
  await api.db
    .insert(devices)
    .values({ ...newRow(now), id, projectId, name: id, hardwareModel: 'gw', lifecycle, enrollment: 'group' })
  return { id, token: await issueDeviceToken(api.db, { projectId, deviceId: id }, now) }
}

beforeEach(async () => {
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  device = await newDevice()
})

const boot = '0b54b1e2-6f0e-4a3f-9d3a-6f1f0a9d7c11'
const line = (sequence: number, facts: object = {}) =>
  JSON.stringify({
    sequence,
    ts_ms: 1_780_000_000_000 + sequence,
    level: 'info',
    unit: 'mosquitto',
    message: `Client station-${sequence % 97} connected from 10.20.${sequence % 256}.7:40123 (p2, c1, k60).`,
    boot_id: boot,
    ...facts,
  })
const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n)

const post = (token: string, payload: Buffer) => {
  const headers = {
    'content-type': 'application/x-ndjson',
    host: new URL(api.config.urls.api).host,
    authorization: `Bearer ${token}`,
  }
  return api.app.inject({ method: 'POST', url: wire.logs.path, headers, payload })
}
const sendTo = async (token: string, lines: readonly (string | Buffer)[]) => {
  const answer = await post(token, Buffer.concat(lines.flatMap((one) => [Buffer.from(one), Buffer.from('\n')])))
  expect(answer.statusCode, answer.payload).toBe(202)
  return answer.json<typeof LogsAnswer.TYPE>()
}
const send = (...lines: (string | Buffer)[]) => sendTo(device.token, lines)
/** The lines as the console shows them. */
const shown = async (): Promise<AnswerOf<typeof deviceSystemLogs>> => {
  const { status, body } = await api.call(deviceSystemLogs, { deviceId: device.id }, { as: ann, query: { limit: 200 } })
  expect(status).toBe(200)
  return body
}
/** A tab is the one control character that a line may keep. */
// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const control = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f]|\p{Bidi_Control}|\p{Surrogate}|[\u2028\u2029\ufeff]/u
/** A line of exactly this many bytes. */
const sized = (bytes: number, sequence: number) => {
  const rest = Buffer.byteLength(line(sequence, { message: '' }))
  return line(sequence, { message: 'x'.repeat(bytes - rest) })
}

describe('T-19: lines of a device, from its request to the console', () => {
  it('show no control character, whatever was sent in message, unit and fields', async () => {
    const every = [
      ...range(0, 0x20),
      ...range(0x7f, 0x21),
      0x61c,
      0x200e,
      0x200f,
      ...range(0x2028, 7),
      ...range(0x2066, 4),
      0xfeff,
    ]
    const bad = [
      '\u001b[2J\u001b]0;root\u0007gone',
      'ok\r\nroot: forged\r',
      'a\u0000b',
      'user\u202egnp.exe\u2066\u2069',
      'half \ud83d of \udca9 each',
      ...every.map((code) => `<${String.fromCodePoint(code)}>`),
    ]
    const lines = bad.map((text, n) => line(n + 1, { message: text, unit: text, fields: { [`k${text}`]: text } }))
    // JSON.stringify escapes lone surrogates; bidi marks and C1 controls are sent as they are.
    expect(lines[4]).toContain('\\ud83d')
    expect(await send(...lines)).toMatchObject({ accepted: bad.length, dropped: 0, reasons: {} })
    const { lines: read, units, dropped } = await shown()
    expect(read).toHaveLength(bad.length)
    const texts = read.flatMap(({ message, unit, fields }) => [message, unit ?? '', ...Object.entries(fields).flat()])
    expect([...texts, ...units].filter((text) => control.test(text))).toEqual([])
    expect(read.slice(0, 5).map(({ message }) => message)).toEqual([
      '\\e[2J\\e]0;root\\u0007gone',
      'ok\\r\\nroot: forged\\r',
      'a\\u0000b',
      'user\\u202egnp.exe\\u2066\\u2069',
      'half \ufffd of \ufffd each',
    ])
    expect(dropped).toBe(0)
  })

  it('keep what only some of them have, and an empty message', async () => {
    const other = '7c1f2d7e-3b1a-4d57-9a53-0b6f4c2f9e21'
    await send(line(1, { message: '' }))
    await send(
      line(2, { message: '', pid: 7 }),
      line(3, { unit: 'kernel', boot_id: other, fields: { 'a"b': '{1,2}' } }),
      line(4, { message: 'tab\there, {"a": "\\"}', unit: 'a,b' }),
    )
    const { lines } = await shown()
    expect(lines.map(({ message, pid, unit, boot_id, fields }) => [message, pid, unit, boot_id, fields])).toEqual([
      ['', null, 'mosquitto', boot, {}],
      ['', 7, 'mosquitto', boot, {}],
      [lines[2]?.message, null, 'kernel', other, { 'a"b': '{1,2}' }],
      ['tab\there, {"a": "\\"}', null, 'a,b', boot, {}],
    ])
    expect(lines[2]?.message).toContain('Client station-3')
  })

  it('that carry raw control bytes are no JSON and are dropped alone; a CR before the line feed is white space', async () => {
    const raw = ['\u001b', '\u0000', '\r'].map((sign, n) => line(n + 2, { message: 'a@b' }).replace('@', sign))
    const answer = await send(`${line(1)}\r`, ...raw, `${line(5)}\r`)
    expect(answer).toMatchObject({ accepted: 2, dropped: 3, reasons: { malformed: 3 } })
    const { lines, dropped } = await shown()
    expect([lines.map(({ sequence }) => sequence), dropped]).toEqual([[1, 5], 3])
  })

  it('keep their neighbours when bytes are not UTF-8, which come out as U+FFFD', async () => {
    const [before = '', after = ''] = line(2, { message: 'a@b' }).split('@')
    const broken = (...bytes: number[]) => Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)])
    const surrogate = Buffer.from(broken(0xed, 0xa0, 0x80).toString('latin1').replace('"sequence":2', '"sequence":3'), 'latin1')
    const answer = await send(line(1), broken(0xff, 0xc3), surrogate, Buffer.from([0xff, 0xfe, 0x00]), line(4))
    expect(answer).toMatchObject({ accepted: 4, dropped: 1, reasons: { malformed: 1 } })
    const { lines, dropped } = await shown()
    expect(lines.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
    expect(lines[1]?.message).toBe('a\ufffd\ufffdb')
    expect(lines[2]?.message).toMatch(/^a\ufffd+b$/)
    expect(dropped).toBe(1)
  })

  it('have at most 8 KiB: one byte more and 1 MB are dropped and counted, and the others stay', async () => {
    const lines = [line(1), sized(8192, 2), sized(8193, 3), sized(1_000_000, 4), line(5)]
    expect(lines.map((one) => Buffer.byteLength(one)).slice(1, 4)).toEqual([8192, 8193, 1_000_000])
    expect(await send(...lines)).toMatchObject({ accepted: 3, dropped: 2, reasons: { too_long: 2 } })
    const { lines: read, dropped } = await shown()
    expect([read.map(({ sequence }) => sequence), dropped]).toEqual([[1, 2, 5], 2])
  })

  it('count the bytes that were sent, not those of replacement characters', async () => {
    const bytes = Buffer.from(sized(8192, 1).replace(/x{4000}/, '@'.repeat(4000)), 'latin1').map((byte) =>
      byte === 0x40 ? 0xff : byte,
    )
    expect(bytes.length).toBe(8192)
    expect(await send(Buffer.from(bytes))).toMatchObject({ accepted: 1, dropped: 0 })
  })

  it('have messages of at most 4096 characters, and a mark where they are cut', async () => {
    await send(
      line(1, { message: 'x'.repeat(4096) }),
      line(2, { message: 'x'.repeat(4097) }),
      line(3, { message: '\u001b'.repeat(1300) }),
    )
    const { lines } = await shown()
    expect(lines.map(({ message }) => Array.from(message).length)).toEqual([4096, 4096, 2600])
    expect(lines.map(({ message }) => message.endsWith('…'))).toEqual([false, true, false])
    expect(lines[1]?.message).toBe(`${'x'.repeat(4095)}…`)
  })

  it('are limited to 1000 per call, valid and invalid ones counted', async () => {
    const good = range(1, 500).map((n) => line(n))
    const bad = range(1, 500).map(() => 'nonsense')
    expect((await post(device.token, Buffer.from([...good, ...bad, 'nonsense'].join('\n')))).statusCode).toBe(413)
    expect((await shown()).lines).toEqual([])
    const answer = await send(...good, ...bad)
    expect(answer).toMatchObject({ accepted: 500, dropped: 500, reasons: { malformed: 500 } })
  })

  it('of another form are dropped, each of them counted', async () => {
    const bad = [
      '[]',
      'null',
      '7',
      '{}',
      line(1, { level: 'loud' }),
      line(1, { sequence: 1e300 }),
      line(1, { message: null }),
      line(1, { extra: 1 }),
      line(1, { fields: { a: { toString: 1 } } }),
      line(1, { fields: 'x' }).replace('"x"', '{"__proto__":{"toString":1}}'),
      line(1, { message: 0 }).replace(':0', `:${'['.repeat(3000)}${']'.repeat(3000)}`),
    ]
    expect(await send(...bad)).toMatchObject({ accepted: 0, dropped: bad.length, reasons: { malformed: bad.length } })
    expect(await shown()).toMatchObject({ lines: [], dropped: bad.length })
  })

  it('are accepted with any sequence numbers of the device', async () => {
    const largest = Number.MAX_SAFE_INTEGER
    const boots = range(1, 4).map((n) => boot.replace(/^.{8}/, `0000000${n}`))
    await send(line(1, { boot_id: boots[0] }))
    // The second boot starts its numbers again, so they are stored after those of the first.
    expect(await send(line(1, { boot_id: boots[1] }), line(largest, { boot_id: boots[1], ts_ms: 1 }))).toMatchObject({
      accepted: 1,
      dropped: 1,
      reasons: { number_too_large: 1 },
    })
    expect(await send(line(largest - 1, { boot_id: boots[1], ts_ms: 1 }))).toMatchObject({ accepted: 1, dropped: 0 })
    expect(await send(line(1, { boot_id: boots[2] }))).toMatchObject({ accepted: 0, dropped: 1 })
    expect(await send(line(largest, { boot_id: boots[3], ts_ms: 1 }), line(2))).toMatchObject({ accepted: 0, dropped: 2 })
    const { lines, dropped } = await shown()
    expect(lines.map(({ sequence }) => sequence)).toEqual([1, 2, largest])
    expect(dropped).toBe(4)
  })

  it('of a device that is not accepted yet are dropped, and the reason says so', async () => {
    const { token } = await newDevice('pending')
    expect(await sendTo(token, [line(1), 'x'])).toMatchObject({ accepted: 0, dropped: 2, reasons: { pending_acceptance: 2 } })
  })

  it('can be summarized wherever their text is cut', async () => {
    await send(line(1, { level: 'warning', message: 'before' }))
    api.advance(7200)
    // Cuts at successive positions: half of them are within a character.
    const texts = range(0, 4).flatMap((n) =>
      ['Out of memory: Killed process 1 (x) ', 'Something '].map((start) => `${start}${'a'.repeat(n)}${'🚀'.repeat(200)}`),
    )
    await send(...texts.map((message, n) => line(n + 2, { message, level: 'err', unit: `u${n}` })))
    const now = api.deps.clock().getTime()
    const body = { from: formatTimestamp(new Date(now - 3_600_000)), to: formatTimestamp(new Date(now + 3_600_000)) }
    const { status, body: summary, text } = await api.call(createLogSummary, { deviceId: device.id }, { as: ann, body })
    expect(status, text.slice(0, 500)).toBe(202)
    expect([...new Set(summary.findings.map(({ rule_id }) => rule_id))]).toEqual(
      expect.arrayContaining(['out_of_memory', 'new_pattern']),
    )
    expect(text).not.toMatch(/\\ud[89a-f]|\ufffd/)
    // A summary outlives the lines that it cites, and says so.
    const read = async () => (await api.call(logSummary, { logSummaryId: summary.id }, { as: ann })).body.is_log_removed
    expect([summary.is_log_removed, await read()]).toEqual([false, false])
    await api.db.execute(sql`delete from device_logs where device_id = ${device.id}`)
    expect(await read()).toBe(true)
  })
})

describe('T-19: the rate of a device', () => {
  it('is limited to exactly 500 at once and 50 per second', async () => {
    expect(await send(...range(1, 501).map((n) => line(n)))).toMatchObject({
      accepted: 500,
      dropped: 1,
      reasons: { rate_limit: 1 },
      next_allowed_ms: 1000,
    })
    api.advance(1)
    expect(await send(...range(501, 51).map((n) => line(n)))).toMatchObject({ accepted: 50, dropped: 1 })
    api.advance(0.02)
    expect(await send(line(551), line(552))).toMatchObject({ accepted: 1, dropped: 1 })
    api.advance(3600)
    expect(await send(...range(552, 501).map((n) => line(n)))).toMatchObject({ accepted: 500, dropped: 1 })
    expect((await shown()).dropped).toBe(4)
  })

  it('is 200,000 a day; the next day opens again, and until then the device is asked to wait', async () => {
    await send(line(1))
    const day = api.deps.clock().toISOString().slice(0, 10)
    await api.db.update(logFeeds).set({ linesToday: 199_990 })
    expect(await send(...range(2, 20).map((n) => line(n)))).toMatchObject({
      accepted: 10,
      dropped: 10,
      reasons: { daily_limit: 10 },
    })
    const wait = Date.parse(`${day}T00:00:00Z`) + 86_400_000 - api.deps.clock().getTime()
    expect(await send(line(12))).toEqual({ accepted: 0, dropped: 1, reasons: { daily_limit: 1 }, next_allowed_ms: wait })
    expect((await shown()).dropped).toBe(11)
    api.advance(wait / 1000 - 0.001)
    expect(await send(line(12))).toMatchObject({ accepted: 0, next_allowed_ms: 1 })
    api.advance(0.001)
    ann = { ...ann, ...(await api.session(ann.id)) }
    expect(await send(...range(12, 501).map((n) => line(n)))).toMatchObject({
      accepted: 500,
      dropped: 1,
      reasons: { rate_limit: 1 },
      next_allowed_ms: 1000,
    })
    expect(await shown()).toMatchObject({ dropped: 13 })
  })

  it('counts each reason separately when several occur in one batch', async () => {
    await send(line(1))
    api.advance(60)
    await api.db.update(logFeeds).set({ linesToday: 199_400 })
    const answer = await send(...range(2, 700).map((n) => line(n)), 'nonsense', sized(8193, 9))
    expect(answer).toMatchObject({
      accepted: 500,
      dropped: 202,
      reasons: { malformed: 1, too_long: 1, rate_limit: 100, daily_limit: 100 },
    })
    expect((await shown()).dropped).toBe(202)
  })
})

/** Size of the table of lines with its indexes, all partitions together. */
const stored = async () => {
  const { rows } = await api.ownerDb.execute<{ bytes: number; rows: number }>(sql`
    select sum(pg_total_relation_size(relid))::float8 as bytes, (select count(*)::int from device_logs) as rows
    from pg_partition_tree('device_logs')`)
  return rows[0] ?? { bytes: 0, rows: 0 }
}

vi.setConfig({ testTimeout: within(repetitions(60_000, 900_000)) })

describe('T-19: a flood of 50 devices with 1,000 lines a second each', () => {
  it('stores what the rates allow, in the bytes that were planned for, and people are answered', async () => {
    const seconds = repetitions(6, 60)
    const count = 50
    const senders = await Promise.all(range(0, count).map(() => newDevice()))
    device = senders[0] ?? device
    const accepted = new Map(senders.map(({ id }) => [id, 0]))
    const dropped = new Map(senders.map(({ id }) => [id, 0]))
    const before = await stored()
    const statuses = new Set<number>()
    for (let second = 0; second < seconds; second++) {
      if (second > 0) api.advance(1)
      const batch = Buffer.from(
        range(second * 1000 + 1, 1000)
          .map((n) => line(n))
          .join('\n'),
      )
      const allowed = 500 + 50 * second
      const flood = async ({ id, token }: typeof device) => {
        const sent = await post(token, batch)
        expect(sent.statusCode, sent.payload).toBe(202)
        const answer = sent.json<typeof LogsAnswer.TYPE>()
        accepted.set(id, (accepted.get(id) ?? 0) + answer.accepted)
        dropped.set(id, (dropped.get(id) ?? 0) + answer.dropped)
        expect(answer.accepted + answer.dropped).toBe(1000)
        expect(accepted.get(id)).toBe(allowed)
      }
      // As many at once as there are connections to the database: this test does not measure queues.
      for (let from = 0; from < count; from += 10) {
        const asked = api.call(deviceSystemLogs, { deviceId: device.id }, { as: ann }).then(({ status }) => statuses.add(status))
        await Promise.all([...senders.slice(from, from + 10).map(flood), asked])
      }
    }
    const after = await stored()
    expect(after.rows - before.rows).toBe(count * (500 + 50 * (seconds - 1)))
    expect([...statuses]).toEqual([200])
    expect((await shown()).dropped).toBe(dropped.get(device.id))
    const perLine = (after.bytes - before.bytes) / (after.rows - before.rows)
    expect(perLine / 452).toBeGreaterThan(0.5)
    expect(perLine / 452).toBeLessThan(1.5)
  })
})

it('T-19: retention keeps as many lines of a project as its plan allows, the newest, and all of other projects', async () => {
  const now = api.deps.clock()
  const { id: ownerId } = await api.person({ plan: 'developer' })
  const small = { id: device.id, projectId: await api.project({ ownerId }) }
  const other = { id: device.id, projectId: await api.project({ ownerId }, 'Other') }
  // A statement may take 5 s: a part of the lines stays well below it.
  const part = 20_000
  const fill = async (owner: { id: string; projectId: string }, count: number) => {
    for (let from = 1; from <= count; from += part)
      await api.ownerDb.execute(sql`
        insert into device_logs (project_id, device_id, sequence, ts_ms, received_at, level, unit, message, fields)
        select ${owner.projectId}, ${owner.id}, n, n,
          ${now.toISOString()}::timestamptz - make_interval(secs => (${count}::int - n) / 100.0), 6, 'kernel', 'up', '{}'
        from generate_series(${from}::int, ${Math.min(from + part - 1, count)}::int) as n`)
  }
  const most = planLimits.developer.log_lines
  await fill(small, most + 3)
  await fill(other, 7)
  await applyRetention(api.ownerDb, now)
  const { rows } = await api.ownerDb.execute(sql`
    select project_id, count(*)::int as n, min(sequence)::int as first from device_logs
    where project_id in (${small.projectId}, ${other.projectId}) group by project_id order by n`)
  expect(rows).toEqual([
    { project_id: other.projectId, n: 7, first: 1 },
    { project_id: small.projectId, n: most, first: 4 },
  ])
})
