import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Incident } from '../../agent/simulate/signals'
import { createEnrollmentToken } from '../../contract/access'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createLogSummary } from '../../contract/log-summaries'
import { repetitions } from '../support/counts'
import { findingOfIncident } from '../support/ground-truth'
import { call } from './support/call'
import { projectOf } from './support/draft'
import { type Hosts, newUser, startHosts, type Visitor } from './support/hosts'
import { simulatedFleet, type SimulatedFleet } from './support/simulated-fleet'

const devices = repetitions(12, 40)
const windowMs = 5000
const windows = repetitions(6, 24)

let hosts: Hosts
let ines: Visitor
let projectId: string
let directory: string
let fleet: SimulatedFleet | undefined
beforeAll(async () => {
  hosts = await startHosts()
  ines = await newUser(hosts)
  projectId = await projectOf(hosts, ines)
  directory = mkdtempSync(join(tmpdir(), 'teasel-truth-'))
})
afterAll(async () => {
  await fleet?.stop()
  await hosts?.stop()
  rmSync(directory, { recursive: true, force: true })
})

type Device = { id: string; serial: string }
const listDevices = async () =>
  (
    await hosts.db.execute<Device>(
      sql`select id, serial_number as serial from devices where project_id = ${projectId} and lifecycle = 'active'`,
    )
  ).rows

/** Resolves when all lines that the devices wrote before have arrived. */
const settled = async () => {
  const since = Date.now()
  const behind = async () => {
    const { rows } = await hosts.db.execute<{ n: number }>(sql`
      select count(*)::int as n from devices where project_id = ${projectId} and not exists (
        select from device_logs where device_logs.project_id = ${projectId} and device_id = devices.id and ts_ms > ${since}::bigint)`)
    return rows[0]?.n
  }
  await expect.poll(behind, { interval: 500 }).toBe(0)
}

type Truth = { serial: string; incident: Incident; ts_ms: number }
const readTruth = (state: string) =>
  readFileSync(join(state, 'ground-truth.ndjson'), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Truth)

/** When the lines of an incident arrived: they are the first that its device wrote from then on. */
const arrivalOf = async ({ id }: Device, { ts_ms }: Truth): Promise<number> => {
  const { rows } = await hosts.db.execute<{ ms: string }>(sql`
    select (extract(epoch from received_at) * 1000)::text as ms from device_logs
    where project_id = ${projectId} and device_id = ${id} and ts_ms >= ${ts_ms}::bigint order by sequence limit 1`)
  return Number(rows[0]?.ms)
}

const findingsOf = async ({ id }: Device, from: number, to: number): Promise<string[]> => {
  const stamp = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`
  const body = { from: stamp(from), to: stamp(to) }
  const made = await call(hosts.api, createLogSummary, { deviceId: id }, { as: ines.token, body })
  expect(made.body.cut).toBe(false)
  return made.body.findings.map(({ rule_id }) => rule_id)
}

const wholeSecond = (ms: number) => Math.ceil(ms / 1000) * 1000

it('the log summaries of a running fleet name every incident that it has recorded, and at most 2 % of the quiet periods have a finding', async () => {
  const body = { name: 'line', kind: 'group' as const, auto_accept: true }
  const { token } = (await call(hosts.api, createEnrollmentToken, { projectId }, { as: ines.token, body })).body
  const publicKey = join(directory, 'key.pem')
  writeFileSync(publicKey, pemOf((await generateSigningKey('ed25519')).publicKey))
  const state = join(directory, 'state')
  fleet = simulatedFleet({
    api: hosts.api,
    token,
    publicKey,
    directory: state,
    devices,
    // An incident of each device a minute, and ten times the usual lines. The past is what makes a message known.
    options: {
      classes: 'gateway,camera,panel,sensor',
      backfill: '2',
      incidents: '1440',
      'log-share': '10',
      'metrics-interval': '1',
    },
  })
  const beganMs = Math.floor(Date.now() / 1000) * 1000
  fleet.start('success')
  await expect.poll(async () => (await listDevices()).length, { interval: 500 }).toBe(devices)
  await settled()
  const from = wholeSecond(Date.now())
  const to = from + windows * windowMs
  await expect.poll(() => Date.now(), { timeout: windows * windowMs + 60_000, interval: 500 }).toBeGreaterThan(to)
  await settled()
  await fleet.stop()

  const truth = readTruth(state)
  const missed: unknown[] = []
  const quiet: string[][] = []
  for (const device of await listDevices()) {
    const own = await Promise.all(
      truth
        .filter(({ serial }) => serial === device.serial)
        .map(async (one) => ({ incident: one.incident, at: await arrivalOf(device, one) })),
    )
    const expectNamed = (start: number, end: number, found: readonly string[]) => {
      for (const { incident, at } of own)
        if (at >= start && at < end && !found.includes(findingOfIncident[incident])) missed.push([device.serial, incident, found])
    }
    expectNamed(beganMs, from, await findingsOf(device, beganMs, from))
    for (let start = from; start < to; start += windowMs) {
      const end = start + windowMs
      const found = await findingsOf(device, start, end)
      expectNamed(start, end, found)
      if (!own.some(({ at }) => at >= start && at <= end)) quiet.push(found)
    }
  }
  expect(missed).toEqual([])
  expect(new Set(truth.map(({ incident }) => incident)).size).toBe(Object.keys(findingOfIncident).length)
  expect(quiet.length).toBeGreaterThan((devices * windows) / 2)
  const loud = quiet.filter((found) => found.length > 0)
  expect(loud.length / quiet.length, JSON.stringify(loud)).toBeLessThanOrEqual(0.02)
})
