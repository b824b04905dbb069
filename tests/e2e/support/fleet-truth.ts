import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Incident } from '../../../agent/simulate/signals'
import { createLogSummary } from '../../../contract/fleet/log-summaries'
import { call } from './call'
import type { Hosts, Visitor } from './hosts'
import { within } from '../../support/machine-load'

export type FleetDevice = { id: string; serial: string }
/** An incident that the simulator recorded, and when its lines arrived. */
export type Arrived = { incident: Incident; at: number }

export const listFleet = async ({ db }: Hosts, projectId: string): Promise<FleetDevice[]> =>
  (await db.execute<FleetDevice>(sql`select id, serial_number as serial from devices where project_id = ${projectId}`)).rows

/** Resolves when all lines that the devices wrote before have arrived: each report of a device follows the lines of the one before. */
export const untilReported = async ({ db }: Hosts, projectId: string): Promise<void> => {
  const since = Date.now()
  const behind = async () => {
    const { rows } = await db.execute<{ n: number }>(sql`
      select count(*)::int as n from devices where project_id = ${projectId} and not exists (
        select from latest_metrics, jsonb_array_elements(metrics) with ordinality as metric (one, n)
        where device_id = devices.id and one ->> 0 = 'system.uptime_s' and (readings -> (n::int - 1) ->> 0)::bigint > ${since}::bigint)`)
    return rows[0]?.n
  }
  await expect.poll(behind, { interval: 500, timeout: within(240_000) }).toBe(0)
}

type Truth = { serial: string; incident: Incident; ts_ms: number }
const readTruth = (state: string): Truth[] => {
  const path = join(state, 'ground-truth.ndjson')
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Truth)
}

/** The incidents of a device, whose lines are the first that it wrote from then on. */
export const incidentsOf = async ({ db }: Hosts, state: string, { id, serial }: FleetDevice): Promise<Arrived[]> => {
  const arrived: Arrived[] = []
  for (const { incident, ts_ms } of readTruth(state).filter((one) => one.serial === serial)) {
    const { rows } = await db.execute<{ ms: string }>(sql`
      select (extract(epoch from received_at) * 1000)::text as ms from device_logs
      where device_id = ${id} and ts_ms >= ${ts_ms}::bigint order by sequence limit 1`)
    arrived.push({ incident, at: Number(rows[0]?.ms) })
  }
  return arrived
}

const stamp = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}+00:00`

/** The rules that a new summary of a device finds in what arrived within whole seconds. */
export const findingsOf = async ({ api }: Hosts, person: Visitor, { id }: FleetDevice, fromMs: number, toMs: number) => {
  const body = { from: stamp(fromMs), to: stamp(toMs) }
  const made = await call(api, createLogSummary, { deviceId: id }, { as: person.token, body })
  expect(made.body.cut).toBe(false)
  return made.body.findings.map(({ rule_id }) => rule_id)
}
