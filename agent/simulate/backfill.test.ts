import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { LogLine, LogsAnswer, MetricPoint } from '../../contract/device/api'
import { Refused, Unreachable } from '../api-client/http'
import { openSimulatedDevice, quietFleet } from '../testing/simulated'
import { backfill, beginBackfill } from './backfill'
import { classes, type DeviceProfile } from './classes'

const [gateway] = classes
if (!gateway) throw new Error('There is no class')
const profile: DeviceProfile = { serial: 'GWI-1', name: 'gateway-1', kind: gateway }
const hours = 48
const stored: LogsAnswer = { accepted: 0, dropped: 0, next_allowed_ms: 0 }

type Truth = { incident: string; ts_ms: number }
let path: string
let truth: Truth[]
let lines: LogLine[]
let points: MetricPoint[]
beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 9, 3) })
  path = join(mkdtempSync(join(tmpdir(), 'teasel-backfill-')), 'device.json')
  truth = []
  lines = []
  points = []
})
afterEach(() => void vi.useRealTimers())

/** A device whose backfill of two days is due, or under way in the memory of that path; its server stores what it is sent. */
const openDevice = async () => {
  const stop = new AbortController()
  const options = {
    ...quietFleet('http://127.0.0.1:1', 'enr', []),
    backfillHours: hours,
    logFactor: 1,
    incidentsPerDay: 24,
    recordIncident: (_: string, incident: string, ts_ms: number) => void truth.push({ incident, ts_ms }),
  }
  const device = await openSimulatedDevice(profile, path, options, stop.signal)
  if (device.memory.backfill === undefined) device.memory.backfill = beginBackfill(hours, device.store.state.next_log)
  device.api.logs = async (sent) => {
    lines.push(...sent)
    return { ...stored, accepted: sent.length }
  }
  device.api.metrics = async (sent) => {
    points.push(...sent)
    return { accepted: sent.length, dropped: 0, reasons: {} }
  }
  return { device, stop }
}
const numbers = (of: readonly LogLine[]) => of.map(({ sequence }) => sequence)
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n + 1)

it('sends the lines and measurements of all hours in order, no faster than half the rate that the server takes', async () => {
  const { device } = await openDevice()
  const beganMs = Date.now()
  const ended = backfill(device)
  device.logBoot()
  await vi.runAllTimersAsync()
  await ended
  expect(numbers(lines)).toEqual(upTo(lines.length))
  expect(lines.length).toBeGreaterThan(800)
  expect(new Set(lines.map(({ level }) => level))).not.toContain('info')
  const times = lines.map(({ ts_ms }) => ts_ms)
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(Date.now() - beganMs).toBeGreaterThanOrEqual((lines.length / 25) * 1000)
  expect(new Set(points.map(({ ts_ms }) => ts_ms)).size).toBeGreaterThanOrEqual(hours * 12)
  const said = lines.map(({ message, ts_ms }) => `${ts_ms} ${message}`)
  const voltage = truth.filter(({ incident }) => incident === 'under_voltage')
  expect(voltage.length).toBeGreaterThan(0)
  for (const { ts_ms } of voltage) expect(said).toContain(`${ts_ms} Under-voltage detected!`)
  // The lines of the present follow, with the next numbers.
  const past = lines.length
  await device.logBuffer.send(device.api)
  expect(numbers(lines)).toEqual(upTo(lines.length))
  expect(lines.length).toBeGreaterThanOrEqual(past + 60)
})

it('waits as long as the server asks for, and sends again only what the server has not stored', async () => {
  const { device } = await openDevice()
  const calls: { atMs: number; first: number | undefined }[] = []
  const { logs } = device.api
  const beganMs = Date.now()
  device.api.logs = async (sent) => {
    calls.push({ atMs: Date.now() - beganMs, first: sent[0]?.sequence })
    if (calls.length === 1) throw new Refused(429, 'rate_limited', 'Too many requests', 120_000)
    if (calls.length === 2) throw new Unreachable('No answer')
    if (calls.length > 3) return logs(sent)
    await logs(sent.slice(0, 10))
    return {
      ...stored,
      accepted: 10,
      dropped: sent.length - 10,
      reasons: { rate_limit: sent.length - 10 },
      next_allowed_ms: 60_000,
    }
  }
  const ended = backfill(device)
  await vi.runAllTimersAsync()
  await ended
  expect(calls.slice(0, 4).map(({ first }) => first)).toEqual([1, 1, 1, 11])
  const [refused, unreachable, partly, rest] = calls.map(({ atMs }) => atMs)
  expect((unreachable ?? 0) - (refused ?? 0)).toBeGreaterThanOrEqual(120_000)
  expect(partly).toBeGreaterThan(unreachable ?? 0)
  expect((rest ?? 0) - (partly ?? 0)).toBeGreaterThanOrEqual(60_000)
  expect(numbers(lines)).toEqual(upTo(lines.length))
})

it('goes on after a restart of the fleet where it stopped, with the same numbers and incidents', async () => {
  const { device, stop } = await openDevice()
  const { logs } = device.api
  let calls = 0
  device.api.logs = async (sent) => {
    calls++
    if (calls < 3) return logs(sent)
    // The server has stored them, and the device does not learn it.
    await logs(sent)
    stop.abort()
    throw new Unreachable('The fleet ends')
  }
  const ended = backfill(device).catch(() => {})
  await vi.runAllTimersAsync()
  await ended
  device.memory.save()
  const before = lines.length
  const known = truth.length
  const { device: again } = await openDevice()
  expect(again.memory.backfill?.next_ms).toBeGreaterThan(Date.now() - hours * 3_600_000)
  const goesOn = backfill(again)
  await vi.runAllTimersAsync()
  await goesOn
  expect(again.memory.backfill).toBe(null)
  const [first] = lines.slice(before)
  const repeated = lines.slice(before).filter(({ sequence }) => sequence <= before)
  expect(repeated.length).toBeGreaterThan(0)
  expect(first?.boot_id).toBe(lines[0]?.boot_id)
  // What is sent twice has the number that it had: the server stores it once.
  const byNumber = new Map(lines.slice(0, before).map((line) => [line.sequence, line.ts_ms]))
  for (const { sequence, ts_ms } of repeated) expect(ts_ms).toBe(byNumber.get(sequence))
  expect([...new Set(numbers(lines))].toSorted((a, b) => a - b)).toEqual(upTo(new Set(numbers(lines)).size))
  const scripted = new Set(truth.map(({ incident, ts_ms }) => `${ts_ms} ${incident}`))
  expect(scripted.size).toBeLessThan(truth.length)
  expect(truth.length - scripted.size).toBeLessThanOrEqual(known)
  expect(again.store.state.next_log).toBe(new Set(numbers(lines)).size + 1)
})
