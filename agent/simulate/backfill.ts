import { randomUUID } from 'node:crypto'
import { type Infer, integer, object, string } from 'superstruct'
import type { LogLine, MetricPoint } from '../../contract/device/api'
import { wait } from '../core/wait'
import { countTaken } from './log-buffer'
import { reportOf } from './log-lines'
import { isDecommissioned, pauseAfterFailure } from './pause-after-failure'
import type { SimulatedDevice } from './simulated-device'

/** Where the backfill of a device goes on: time, number of the next line, and the boot that all of its lines are of. */
export const BackfillPosition = object({ next_ms: integer(), first_line: integer(), boot_id: string() })
export type BackfillPosition = Infer<typeof BackfillPosition>

const stepMs = 300_000
/** One call takes 2,000 points. */
const maxPoints = 1900
const maxLines = 400
/** Half of what the server takes of a device in the long run. */
const linesPerSecond = 25

export const beginBackfill = (hours: number, firstLine: number): BackfillPosition => ({
  next_ms: Math.round(Date.now() - hours * 3_600_000),
  first_line: firstLine,
  boot_id: randomUUID(),
})

/** One value per metric and five minutes, and the lines above the level of information. The same position gives the same incidents. */
const nextPortion = (device: SimulatedDevice, { next_ms, first_line, boot_id }: BackfillPosition, untilMs: number) => {
  const { kind, options, randomFor, serial, signals } = device
  const random = randomFor(`backfill/${next_ms}`)
  const span = { minutes: stepMs / 60_000, share: options.logFactor, perDay: options.incidentsPerDay }
  const points: MetricPoint[] = []
  const lines: LogLine[] = []
  let ts_ms = next_ms
  for (; ts_ms < untilMs && points.length <= maxPoints && lines.length <= maxLines; ts_ms += stepMs) {
    const report = reportOf(kind, random, signals, { nowMs: ts_ms, ...span })
    points.push(...report.readings.map((reading) => ({ ...reading, ts_ms })))
    for (const { level, unit, message } of report.lines)
      if (level !== 'info') lines.push({ sequence: first_line + lines.length, ts_ms, level, unit, message, boot_id })
    for (const incident of report.incidents) options.recordIncident(serial, incident, ts_ms)
  }
  return { points, lines, next: { next_ms: ts_ms, first_line: first_line + lines.length, boot_id } }
}

/** Repeats a call until the server takes it. Throws when the fleet ends, and when the device no longer belongs to it. */
const persist = async <T>(device: SimulatedDevice, call: () => Promise<T>): Promise<T> => {
  for (let failures = 1; ; failures++) {
    try {
      return await device.options.limitBackfill(call)
    } catch (error) {
      if (isDecommissioned(error)) throw error
      await wait(pauseAfterFailure(device, error, failures), device.stopping)
      if (device.stopping.aborted) throw error
    }
  }
}

const sendLines = async (device: SimulatedDevice, lines: readonly LogLine[]): Promise<void> => {
  for (let rest = lines; rest.length > 0;) {
    const answer = await persist(device, () => device.api.logs(rest))
    const taken = countTaken(answer, rest.length)
    rest = rest.slice(taken)
    await wait(Math.max(answer.next_allowed_ms, (1000 * taken) / linesPerSecond), device.stopping)
    device.stopping.throwIfAborted()
  }
}

/**
 * Sends what the device measured and logged in the hours before its enrollment, as one that was offline does, beside its polls and
 * slower than the server would take it. A restart of the fleet goes on with the portion that was under way, with the same numbers
 * of lines. The device reports nothing of the present meanwhile.
 */
export const backfill = async (device: SimulatedDevice): Promise<void> => {
  const { api, memory, stopping, store } = device
  while (memory.backfill && !stopping.aborted) {
    const { points, lines, next } = nextPortion(device, memory.backfill, Date.now() - 60_000)
    await sendLines(device, lines)
    if (points.length > 0) await persist(device, () => api.metrics(points))
    store.change({ next_log: next.first_line })
    memory.backfill = points.length > 0 ? next : null
  }
}
