import { sql } from 'drizzle-orm'
import { metricHours, metricPoints } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import type { Span } from './buckets'
import type { Bucket } from './series'

type Asked = { projectId: string; deviceId: string; names: readonly string[]; span: Span }

const mine = ({ projectId, deviceId, names, span }: Asked) =>
  sql`project_id = ${projectId} and device_id = ${deviceId} and name = any(${sql.param(names)}::text[])
    and at >= ${new Date(span.from).toISOString()}::timestamptz and at < ${new Date(span.to).toISOString()}::timestamptz`

const bucket = ({ stepS }: Span) => sql`(floor(extract(epoch from at) / ${stepS}::int) * ${stepS}::int * 1000)::bigint`

const fromPoints = (asked: Asked) => sql`
  select name, ${bucket(asked.span)} as ts, avg(value) as avg, min(value) as min, max(value) as max,
    percentile_cont(0.5) within group (order by value) as p50, percentile_cont(0.95) within group (order by value) as p95
  from ${metricPoints} where ${mine(asked)} group by 1, 2`

// Hourly values keep no distribution, only minimum, maximum and mean.
const fromHours = (asked: Asked) => sql`
  select name, ${bucket(asked.span)} as ts, sum(sum) / sum(n) as avg, min(min) as min, max(max) as max,
    null::float8 as p50, null::float8 as p95
  from ${metricHours} where ${mine(asked)} group by 1, 2`

/** Buckets of one device: from points where they are still kept, from hourly values before that. */
export const listDeviceBuckets = async (tx: Tx, asked: Asked, rawSince: Date): Promise<Bucket[]> => {
  if (asked.names.length === 0) return []
  const hourly = asked.span.from < rawSince.getTime() && asked.span.stepS >= 3600
  const { rows } = await tx.execute<Bucket>(hourly ? fromHours(asked) : fromPoints(asked))
  return rows
}
