import type { MetricPoint, MetricsBody } from '../../../contract/device/api'

export type Point = { name: string; unit: string | null; tsMs: number; value: number }
export type Sifted = { points: Point[]; reasons: Record<string, number> }

const future = 10 * 60_000
const past = 7 * 86_400_000

/** Single points from either of the two forms; a null in a column is a missing value. */
export const pointsOf = (body: MetricsBody): Point[] => {
  const one = ({ name, unit, ts_ms, value }: MetricPoint): Point => ({ name, unit: unit ?? null, tsMs: ts_ms, value })
  if ('points' in body) return body.points.map(one)
  const units = new Map(Object.entries(body.units ?? {}))
  return Object.entries(body.series).flatMap(([name, values]) =>
    values.flatMap((value, at) =>
      value === null ? [] : [{ name, unit: units.get(name) ?? null, tsMs: body.ts_ms[at] ?? 0, value }],
    ),
  )
}

/** Drops points more than 10 minutes in the future or more than 7 days in the past, and counts them. */
export const filterByTime = (points: readonly Point[], now: Date): Sifted => {
  const reasons: Record<string, number> = {}
  const time = now.getTime()
  const reasonOf = ({ tsMs }: Point) => (tsMs > time + future ? 'in_the_future' : tsMs < time - past ? 'too_old' : null)
  const kept = points.filter((point) => {
    const reason = reasonOf(point)
    if (reason !== null) reasons[reason] = (reasons[reason] ?? 0) + 1
    return reason === null
  })
  return { points: kept.toSorted((a, b) => a.tsMs - b.tsMs), reasons }
}

/** Counters only rise until they are reset; their increase is stored. */
export const isCounter = (name: string): boolean => /_total$|\.(boot_count|crash_count|undervoltage_events)$/.test(name)

/** By how much a counter rose; one that fell was reset to 0. */
export const increase = (before: number, value: number): number => (value >= before ? value - before : value)
