import type { Series } from '../../../contract/overview/monitor'
import { type Aggregation, type Span, timesOf } from './buckets'

/** One bucket of one metric, with every requested aggregation. */
export type Bucket = { name: string; ts: number } & Partial<Record<Aggregation, number | null>>

type Asked = {
  labels: Series['series'][number]['labels']
  names: readonly string[]
  aggs: readonly Aggregation[]
  units: ReadonlyMap<string, string>
  span: Span
}

/** Series as JSON: each has all times of the range, and null where nothing was reported. */
export const seriesToJson = ({ labels, names, aggs, units, span }: Asked, buckets: readonly Bucket[]): Series => {
  const found = new Map(buckets.map((bucket) => [`${bucket.name} ${bucket.ts}`, bucket]))
  const times = timesOf(span)
  return {
    from: span.from,
    to: span.to,
    step_s: span.stepS,
    series: names.flatMap((name) =>
      aggs.map((agg) => ({
        name,
        unit: units.get(name) ?? null,
        agg,
        labels,
        points: times.map((ts): [number, number | null] => [ts, found.get(`${name} ${ts}`)?.[agg] ?? null]),
      })),
    ),
  }
}
