import { sql } from 'drizzle-orm'
import { metricHours, metricPoints } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import type { Span } from './buckets'
import type { Bucket } from './series'

type Asked = {
  projectId: string
  deviceId: string
  names: readonly string[]
  span: Span
  /** It begins before the time since when points are kept. */
  isHourly: boolean
}

const timestamp = (ms: number) => sql`${new Date(ms).toISOString()}::timestamptz`

const mine = ({ projectId, deviceId, names, span }: Asked) =>
  sql`project_id = ${projectId} and device_id = ${deviceId} and name = any(${sql.param(names)}::text[])
    and at >= ${timestamp(span.from)} and at < ${timestamp(span.to)}`

const bucket = ({ stepS }: Span) => sql`(floor(extract(epoch from at) / ${stepS}::int) * ${stepS}::int * 1000)::bigint`

const fromPoints = (asked: Asked) => sql`
  select name, ${bucket(asked.span)} as ts, avg(value) as avg, min(value) as min, max(value) as max,
    percentile_cont(0.5) within group (order by value) as p50, percentile_cont(0.95) within group (order by value) as p95
  from ${metricPoints} where ${mine(asked)} group by 1, 2`

const hourMs = 3_600_000
/** An hour is computed once it is over. */
const computedUntil = (now: Date) => timestamp(Math.floor(now.getTime() / hourMs - 2) * hourMs)

// Hourly values keep no distribution, only minimum, maximum and mean.
const fromHours = (asked: Asked, now: Date) => sql`
  select name, ${bucket(asked.span)} as ts, sum(sum) / sum(n) as avg, min(min) as min, max(max) as max,
    null::float8 as p50, null::float8 as p95
  from (
    select name, at, n, sum, min, max from ${metricHours} where ${mine(asked)} and at < ${computedUntil(now)}
    union all
    select name, at, 1, value, value, value from ${metricPoints} where ${mine(asked)} and at >= ${computedUntil(now)}
  ) as kept group by 1, 2`

/** Buckets of one device: from points where they are kept, otherwise from hourly values, and from the points of the last hours. */
export const listDeviceBuckets = async (tx: Tx, asked: Asked, now: Date): Promise<Bucket[]> => {
  if (asked.names.length === 0) return []
  const { rows } = await tx.execute<Bucket>(asked.isHourly ? fromHours(asked, now) : fromPoints(asked))
  return rows
}
