import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Incident } from '../../agent/simulate/signals'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { sendCommand } from '../../contract/fleet/device-commands'
import { repetitions } from '../support/counts'
import { findingOfIncident } from '../support/ground-truth'
import { call } from './support/call'
import { projectOf } from './support/draft'
import { findingsOf, type FleetDevice, incidentsOf, listFleet, untilReported } from './support/fleet-truth'
import { type Hosts, startHosts, subscriber, type Visitor } from './support/hosts'
import { simulatedFleet, type SimulatedFleet } from './support/simulated-fleet'
import { within } from '../support/machine-load'

/** Devices with an incident a minute each, and devices with none, which are restarted instead. */
const loudCount = repetitions(12, 30)
const quietCount = repetitions(8, 20)
const windowMs = repetitions(8000, 30_000)
const windows = repetitions(4, 20)

let hosts: Hosts
let ines: Visitor
let projectId: string
let directory: string
const fleets: SimulatedFleet[] = []
beforeAll(async () => {
  hosts = await startHosts()
  ines = await subscriber(hosts)
  projectId = await projectOf(hosts, ines)
  directory = mkdtempSync(join(tmpdir(), 'teasel-truth-'))
})
afterAll(async () => {
  await Promise.all(fleets.map((fleet) => fleet.stop()))
  await hosts?.stop()
  rmSync(directory, { recursive: true, force: true })
})

const stateOf = (name: string) => join(directory, name)
const startFleet = async (name: string, devices: number, incidents: string) => {
  const body = { name, kind: 'group' as const, auto_accept: true }
  const { token } = (await call(hosts.api, createEnrollmentToken, { projectId }, { as: ines.token, body })).body
  const publicKey = join(directory, `${name}.pem`)
  writeFileSync(publicKey, pemOf((await generateSigningKey('ed25519')).publicKey))
  // The past is what makes a message known.
  const options = {
    classes: 'gateway,camera,panel,sensor',
    backfill: String(repetitions(4, 6)),
    incidents,
    'log-share': '1',
    'metrics-interval': '2',
  }
  const fleet = simulatedFleet({ api: hosts.api, token, publicKey, directory: stateOf(name), devices, options })
  fleets.push(fleet)
  fleet.start('success')
}
const until = (ms: number) =>
  expect.poll(() => Date.now(), { timeout: ms - Date.now() + 60_000, interval: 500 }).toBeGreaterThan(ms)
const restart = (device: FleetDevice) =>
  call(hosts.api, sendCommand, { deviceId: device.id }, { as: ines.token, body: { command: 'reboot' } })
const countBoots = async () => {
  const { rows } = await hosts.db.execute<{ n: number }>(
    sql`select count(*)::int as n from (select device_id from device_boots group by device_id having count(*) > 2) as more`,
  )
  return rows[0]?.n
}

type Window = { serial: string; live: boolean; incidents: Incident[]; found: string[]; isQuiet: boolean }

it(
  'the log summaries of a running fleet name every incident that it has recorded, and at most 2 % of the quiet periods have a finding',
  async () => {
    const beganMs = Math.floor(Date.now() / 1000) * 1000
    await startFleet('loud', loudCount, '1440')
    await startFleet('quiet', quietCount, '0')
    const all = loudCount + quietCount
    await expect
      .poll(async () => (await listFleet(hosts, projectId)).length, { interval: 500, timeout: within(120_000) })
      .toBe(all)
    await untilReported(hosts, projectId)
    const from = Math.ceil(Date.now() / 1000) * 1000
    const devices = await listFleet(hosts, projectId)
    for (const device of devices) if ((await incidentsOf(hosts, stateOf('loud'), device)).length === 0) await restart(device)
    // All restarts are within the windows, and an incident.
    const liveIncidents = async () => {
      const arrived = await Promise.all(devices.map((device) => incidentsOf(hosts, stateOf('loud'), device)))
      return arrived.flat().filter(({ at }) => at >= from).length
    }
    await expect.poll(countBoots, { interval: 500, timeout: within(120_000) }).toBeGreaterThanOrEqual(quietCount)
    await expect.poll(liveIncidents, { interval: 500, timeout: within(120_000) }).toBeGreaterThan(0)
    const to = from + Math.max(windows, Math.ceil((Date.now() - from) / windowMs)) * windowMs
    await until(to)
    await untilReported(hosts, projectId)
    await Promise.all(fleets.map((fleet) => fleet.stop()))

    const seen: Window[] = []
    for (const device of devices) {
      const own = (await Promise.all(['loud', 'quiet'].map((name) => incidentsOf(hosts, stateOf(name), device)))).flat()
      const look = async (start: number, end: number, live: boolean) => {
        const inside = own.filter(({ at }) => at >= start && at <= end)
        const certain = inside.filter(({ at }) => at < end).map(({ incident }) => incident)
        const found = await findingsOf(hosts, ines, device, start, end)
        seen.push({ serial: device.serial, live, incidents: certain, found, isQuiet: inside.length === 0 })
      }
      await look(beganMs, from, false)
      for (let start = from; start < to; start += windowMs) await look(start, start + windowMs, true)
    }
    const named = seen.flatMap(({ serial, live, incidents, found }) =>
      incidents.map((incident) => ({ serial, live, incident, isNamed: found.includes(findingOfIncident[incident]) })),
    )
    expect(named.filter(({ isNamed }) => !isNamed)).toEqual([])
    expect(named.filter(({ live }) => live).length).toBeGreaterThan(0)
    expect(new Set(named.map(({ incident }) => incident)).size).toBe(Object.keys(findingOfIncident).length)
    const quiet = seen.filter(({ live, isQuiet }) => live && isQuiet)
    expect(quiet.length).toBeGreaterThanOrEqual(quietCount * windows)
    const wrong = quiet.filter(({ found }) => found.length > 0)
    const figures = `${named.length} incidents, ${named.filter(({ live }) => live).length} of them live, all named; ${wrong.length} of ${quiet.length} quiet windows with a finding`
    process.stderr.write(`${figures}\n`)
    expect(wrong.length / quiet.length, JSON.stringify(wrong)).toBeLessThanOrEqual(0.02)
  },
  repetitions(300_000, 1_800_000),
)
