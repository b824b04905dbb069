import { expect, it } from 'vitest'
import { classes, fleetOf } from '../../agent/simulate/classes'
import { reportOf } from '../../agent/simulate/log-lines'
import { randomOf } from '../../agent/simulate/random'
import { type Incident, signalsOf } from '../../agent/simulate/signals'
import { logLevels } from '../../contract/device/config-fields'
import { ERROR, type SummaryLine, WARNING } from '../../server/fleet/logs/summaries/line'
import { masked } from '../../server/fleet/logs/summaries/patterns'
import { summarize } from '../../server/fleet/logs/summaries/summarize'
import { repetitions } from '../support/counts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 9, 1)
/** The first day is the past of the windows that are summarized. */
const days = 2

/** What the summary says of an incident. */
const told: Record<Incident, string> = {
  out_of_memory: 'out_of_memory',
  thermal_throttle: 'thermal_throttle',
  disk_full: 'disk_full',
  under_voltage: 'under_voltage',
  storage_failure: 'filesystem_errors',
  wrong_clock: 'tls_failure',
}
/** Further findings that the lines of an incident give: each is true. */
const follows: Partial<Record<Incident, string[]>> = { storage_failure: ['storage_timeout'], out_of_memory: ['unit_restarts'] }

type Truth = { incident: Incident; atMs: number }

/** The log of a device for two days with its ground truth, as the fleet writes both. */
const simulate = (seed: string, at: number, perDay: number) => {
  const [profile] = fleetOf(seed, at + 1, classes, (name) => randomOf(seed, name)).slice(at)
  if (!profile) throw new Error('The fleet is too small.')
  const random = randomOf(seed, `${profile.serial}/run`)
  const signals = signalsOf(profile.kind, randomOf(seed, `${profile.serial}/signals`), start)
  const lines: SummaryLine[] = []
  const truth: Truth[] = []
  for (let nowMs = start; nowMs < start + days * 24 * hour; nowMs += minute) {
    const report = reportOf(profile.kind, random, signals, { nowMs, minutes: 1, share: 1, perDay })
    for (const incident of report.incidents) truth.push({ incident, atMs: nowMs })
    for (const { level, unit, message } of report.lines)
      lines.push({ sequence: lines.length + 1, tsMs: nowMs, level: logLevels.indexOf(level), unit, bootId: 'boot', message })
  }
  return { lines, truth }
}

/** The summary of each hour of the second day. */
const hourly = ({ lines, truth }: ReturnType<typeof simulate>) => {
  const past = lines.filter(({ tsMs }) => tsMs < start + 24 * hour)
  const before = {
    messages: new Set(past.filter(({ level }) => level <= WARNING).map(({ message }) => masked(message))),
    errors: past.filter(({ level }) => level <= ERROR).length,
    hours: 24,
  }
  return Array.from({ length: 24 }, (_, n) => {
    const from = start + (24 + n) * hour
    const inside = (ms: number) => ms >= from && ms < from + hour
    const part = lines.filter(({ tsMs }) => inside(tsMs))
    const { content } = summarize({ lines: part, from: new Date(from), to: new Date(from + hour), past: before })
    const incidents = new Set(truth.filter(({ atMs }) => inside(atMs)).map(({ incident }) => incident))
    return { incidents: [...incidents], found: content.findings.map(({ rule_id }) => rule_id) }
  })
}

it('the summaries of a simulated fleet name every incident of its ground truth, and at most 2 % of the quiet hours have a finding', () => {
  const windows = Array.from({ length: repetitions(20, 100) }, (_, at) => hourly(simulate('truth', at, 4))).flat()
  const all = windows.flatMap(({ incidents, found }) => incidents.map((incident) => ({ incident, found })))
  expect(new Set(all.map(({ incident }) => incident)).size).toBe(Object.keys(told).length)
  expect(all.filter(({ incident, found }) => !found.includes(told[incident])).map(({ incident }) => incident)).toEqual([])
  const quiet = windows.filter(({ incidents }) => incidents.length === 0)
  expect(quiet.length).toBeGreaterThan(200)
  const loud = quiet.filter(({ found }) => found.length > 0)
  expect(loud.length / quiet.length, JSON.stringify(loud)).toBeLessThanOrEqual(0.02)
  // What is found beside an incident belongs to it, or is as rare as in a quiet hour.
  const beside = windows.filter(({ incidents, found }) => {
    const expected = new Set(incidents.flatMap((one) => [told[one], ...(follows[one] ?? []), 'new_pattern', 'error_rise']))
    return incidents.length > 0 && found.some((rule) => !expected.has(rule))
  })
  expect(beside.length / windows.length).toBeLessThanOrEqual(0.02)
})
