import { addBins, quantile, type Sketch, valueOf } from '../telemetry/sketch'
import type { Span } from './buckets'
import type { SketchRow } from './fleet-series.repository'
import type { Bucket } from './series'

type Sum = Pick<SketchRow, 'name' | 'ts' | 'n' | 'sum' | 'min' | 'max'> & { sketch: Sketch }
type Sums = ReadonlyMap<string, Sum>

const numbers = (text: string) => text.split(',').map(Number)

const within = (value: number | null, { min, max }: { min: number; max: number }) =>
  value === null ? null : Math.min(max, Math.max(min, value))

/** The roll-ups of each bucket, added up. */
export const sumRows = (rows: readonly SketchRow[], { stepS }: Span): Sums => {
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
  return sums
}

/** What is left of the whole without its parts. Extremes cannot be subtracted: they are read from the bins that are left. */
export const subtractSums = (whole: Sums, parts: readonly Sums[]): Sums => {
  const left = new Map<string, Sum>()
  for (const [key, one] of whole) {
    const sketch = new Map(one.sketch)
    let { n, sum } = one
    for (const part of parts.map((sums) => sums.get(key))) {
      n -= part?.n ?? 0
      sum -= part?.sum ?? 0
      for (const [bin, count] of part?.sketch ?? []) sketch.set(bin, (sketch.get(bin) ?? 0) - count)
    }
    const bins = [...sketch].flatMap(([bin, count]) => (count > 0 ? [valueOf(bin)] : []))
    if (n > 0 && bins.length > 0) left.set(key, { ...one, n, sum, min: Math.min(...bins), max: Math.max(...bins), sketch })
  }
  return left
}

export const bucketsOf = (sums: Sums): Bucket[] =>
  [...sums.values()].map(({ sketch, sum, n, ...bucket }) => ({
    ...bucket,
    avg: sum / n,
    p50: within(quantile(sketch, 0.5), bucket),
    p95: within(quantile(sketch, 0.95), bucket),
  }))
