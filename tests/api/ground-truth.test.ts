import { expect, it } from 'vitest'
import { classes, fleetOf } from '../../agent/simulate/classes'
import { bootBurst, type LogTemplate, reportOf } from '../../agent/simulate/log-lines'
import { randomOf } from '../../agent/simulate/random'
import { type Incident, signalsOf } from '../../agent/simulate/signals'
import { logLevels } from '../../contract/device/config-fields'
import { ERROR, type SummaryLine, WARNING } from '../../server/fleet/logs/summaries/line'
import { masked } from '../../server/fleet/logs/summaries/patterns'
import { summarize } from '../../server/fleet/logs/summaries/summarize'
import { repetitions } from '../support/counts'
import { findingOfIncident } from '../support/ground-truth'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 9, 1)
/** The first day is the past of the windows that are summarized. */
const days = 2

/** Further findings that the lines of an incident give: each is true. */
const follows: Partial<Record<Incident, string[]>> = { storage_failure: ['storage_timeout'], out_of_memory: ['unit_restarts'] }

type Truth = { incident: Incident; atMs: number }

/** In a minute: a restart, and the loss of the connection. */
const restarts = 2 / 1440
const dropOuts = 3 / 1440

/**
 * The log of a device for two days with its ground truth, as the fleet writes both: a report a minute, restarts, some of them twice,
 * hours without a connection, whose lines arrive late, and panels that are off at night.
 */
const simulate = (seed: string, at: number, perDay: number) => {
  const [profile] = fleetOf(seed, at + 1, classes, (name) => randomOf(seed, name)).slice(at)
  if (!profile) throw new Error('The fleet is too small.')
  const { kind } = profile
  const random = randomOf(seed, `${profile.serial}/run`)
  const signals = signalsOf(kind, randomOf(seed, `${profile.serial}/signals`), start)
  const lines: SummaryLine[] = []
  const truth: Truth[] = []
  let boot = 1
  let [offMs, cutMs, cutAt] = [0, 0, 0]
  const add = (all: readonly LogTemplate[], tsMs: (index: number) => number, receivedMs: number) => {
    for (const [index, { level, unit, message }] of all.entries()) {
      const [sequence, bootId] = [lines.length + 1, `boot ${boot}`]
      lines.push({ sequence, tsMs: tsMs(index), receivedMs, level: logLevels.indexOf(level), unit, bootId, message })
    }
  }
  for (let nowMs = start; nowMs < start + days * 24 * hour; nowMs += minute) {
    const isOff =
      nowMs < offMs || (kind.id === 'panel' && (new Date(nowMs).getUTCHours() < 6 || new Date(nowMs).getUTCHours() >= 22))
    if (isOff) continue
    if (nowMs > cutMs && random.chance(dropOuts)) [cutMs, cutAt] = [nowMs + random.whole(5, 180) * minute, lines.length]
    // What was stored meanwhile arrives in batches.
    const receivedMs = nowMs > cutMs ? nowMs + 500 : cutMs + 500 * Math.floor((lines.length - cutAt) / 100)
    const isStart = random.chance(restarts)
    if (isStart || lines.at(-1) === undefined || nowMs - (lines.at(-1)?.tsMs ?? 0) > hour) {
      boot += 1
      signals.boot(nowMs)
      add(bootBurst(kind, random), (index) => nowMs + index * 100, receivedMs)
      // Not each start succeeds, and some take their time.
      offMs = nowMs + random.whole(1, 4) * minute
      if (isStart && random.chance(0.3)) {
        boot += 1
        add(bootBurst(kind, random), (index) => nowMs + 40_000 + index * 100, receivedMs)
      }
      continue
    }
    const report = reportOf(kind, random, signals, { nowMs, minutes: 1, share: 1, perDay })
    for (const incident of report.incidents) truth.push({ incident, atMs: receivedMs })
    add(
      report.lines,
      (index) => nowMs - Math.floor((minute * (report.lines.length - 1 - index)) / report.lines.length),
      receivedMs,
    )
  }
  return { lines, truth }
}

/** The summary of each hour of the second day. */
const hourly = ({ lines, truth }: ReturnType<typeof simulate>) => {
  const past = lines.filter(({ receivedMs }) => receivedMs < start + 24 * hour)
  const before = {
    messages: new Set(past.filter(({ level }) => level <= WARNING).map(({ message }) => masked(message))),
    errors: past.filter(({ level }) => level <= ERROR).length,
    hours: 24,
  }
  return Array.from({ length: 24 }, (_, n) => {
    const from = start + (24 + n) * hour
    const inside = (ms: number) => ms >= from && ms < from + hour
    const part = lines.filter(({ receivedMs }) => inside(receivedMs))
    const earlier = lines.findLast(({ sequence }) => sequence < (part[0]?.sequence ?? 0))
    const bootBefore = earlier?.bootId ?? null
    const { content } = summarize({
      lines: part,
      from: new Date(from),
      to: new Date(from + hour),
      past: before,
      bootBefore,
      isCut: false,
    })
    const incidents = new Set(truth.filter(({ atMs }) => inside(atMs)).map(({ incident }) => incident))
    const { boot_count: boots } = content
    return { incidents: [...incidents], boots, found: content.findings.map(({ rule_id }) => rule_id) }
  })
}

it('the summaries of a simulated fleet name every incident of its ground truth, and at most 2 % of the quiet hours have a finding', () => {
  const windows = Array.from({ length: repetitions(20, 100) }, (_, at) => hourly(simulate('truth', at, 4))).flat()
  const all = windows.flatMap(({ incidents, found }) => incidents.map((incident) => ({ incident, found })))
  expect(new Set(all.map(({ incident }) => incident)).size).toBe(Object.keys(findingOfIncident).length)
  expect(
    all.filter(({ incident, found }) => !found.includes(findingOfIncident[incident])).map(({ incident }) => incident),
  ).toEqual([])
  const quiet = windows.filter(({ incidents }) => incidents.length === 0)
  expect(quiet.length).toBeGreaterThan(200)
  // Restarts are among them, so that rules about boots and pauses could be wrong.
  expect(quiet.filter(({ boots }) => boots > 1).length).toBeGreaterThan(quiet.length / 50)
  const loud = quiet.filter(({ found }) => found.length > 0)
  expect(loud.length / quiet.length, JSON.stringify(loud)).toBeLessThanOrEqual(0.02)
  // What is found beside an incident belongs to it, or is as rare as in a quiet hour.
  const beside = windows.filter(({ incidents, found }) => {
    const expected = new Set(
      incidents.flatMap((one) => [findingOfIncident[one], ...(follows[one] ?? []), 'new_pattern', 'error_rise']),
    )
    return incidents.length > 0 && found.some((rule) => !expected.has(rule))
  })
  expect(beside.length / windows.length).toBeLessThanOrEqual(0.02)
})
