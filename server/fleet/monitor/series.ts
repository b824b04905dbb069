import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Series } from '../../../contract/monitor'
import { latestMetrics } from '../schema/telemetry'
import type { Tx } from '../../core/database/tx'
import { type Aggregation, type Span, timesOf } from './buckets'

/** One bucket of one metric, with every requested aggregation. */
export type Bucket = { name: string; ts: number } & Partial<Record<Aggregation, number | null>>

const unitsOf = async (tx: Tx, projectId: string, names: readonly string[]): Promise<Map<string, string>> => {
  if (names.length === 0) return new Map()
  const { name, unit } = latestMetrics
  const rows = await tx
    .select({ name, unit: sql<string | null>`max(${unit})` })
    .from(latestMetrics)
    .where(and(eq(latestMetrics.projectId, projectId), inArray(name, [...names])))
    .groupBy(name)
  return new Map(rows.flatMap((row) => (row.unit === null ? [] : [[row.name, row.unit]])))
}

type Asked = { projectId: string; deviceId?: string; names: readonly string[]; aggs: readonly Aggregation[]; span: Span }

/** Series as JSON: each has all times of the range, and null where nothing was reported. */
export const seriesOf = async (
  tx: Tx,
  { projectId, deviceId, names, aggs, span }: Asked,
  buckets: readonly Bucket[],
): Promise<Series> => {
  const units = await unitsOf(tx, projectId, names)
  const found = new Map(buckets.map((bucket) => [`${bucket.name} ${bucket.ts}`, bucket]))
  const times = timesOf(span)
  const labels = deviceId === undefined ? {} : { device_id: deviceId }
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
