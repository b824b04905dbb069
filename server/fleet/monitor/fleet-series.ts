import { addBins, quantile, type Sketch } from '../telemetry/sketch'
import type { Span } from './buckets'
import type { FleetRow } from './fleet-series.repository'
import type { Bucket } from './series'

type Sum = Pick<FleetRow, 'name' | 'ts' | 'n' | 'sum' | 'min' | 'max'> & { sketch: Sketch }

const numbers = (text: string) => text.split(',').map(Number)

const within = (value: number | null, { min, max }: { min: number; max: number }) =>
  value === null ? null : Math.min(max, Math.max(min, value))

/** Buckets of the whole fleet from its roll-ups. */
export const fleetBuckets = (rows: readonly FleetRow[], { stepS }: Span): Bucket[] => {
  const sums = new Map<string, Sum>()
  const stepMs = stepS * 1000
  for (const row of rows) {
    const ts = Math.floor(row.ts / stepMs) * stepMs
    const key = `${row.name} ${ts}`
    const sum = sums.get(key) ?? { name: row.name, ts, n: 0, sum: 0, min: Infinity, max: -Infinity, sketch: new Map() }
    sum.n += row.n
    sum.sum += row.sum
    sum.min = Math.min(sum.min, row.min)
    sum.max = Math.max(sum.max, row.max)
    addBins(sum.sketch, numbers(row.bins), numbers(row.counts))
    sums.set(key, sum)
  }
  return [...sums.values()].map(({ sketch, sum, n, ...bucket }) => ({
    ...bucket,
    avg: sum / n,
    p50: within(quantile(sketch, 0.5), bucket),
    p95: within(quantile(sketch, 0.95), bucket),
  }))
}
