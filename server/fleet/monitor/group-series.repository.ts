import { inArray, sql } from 'drizzle-orm'
import { tags } from '../schema/tags'
import { type GroupKind, groupMetrics } from '../schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import type { Span } from './buckets'
import type { SketchRow } from './fleet-series.repository'

/** One roll-up of one metric of one group. */
type GroupRow = SketchRow & { value: string }

type Asked = { projectId: string; kind: GroupKind; names: readonly string[]; span: Span }

const within = ({ projectId, kind, names, span }: Asked, stepS: number) => sql`
  project_id = ${projectId} and name = any(${sql.param(names)}::text[]) and kind = ${kind} and step_s = ${stepS}::int
    and at >= ${new Date(Math.floor(span.from / (stepS * 1000)) * stepS * 1000).toISOString()}::timestamptz
    and at < ${new Date(span.to).toISOString()}::timestamptz`

/** The groups of a kind with values in a range, those with the most values first: one more than `most` if there are more. */
export const listGroups = async (tx: Tx, asked: Asked, most: number): Promise<string[]> => {
  const { rows } = await tx.execute<{ value: string }>(sql`
    select value from ${groupMetrics} where ${within(asked, 3600)}
    group by value order by sum(n) desc, value limit ${most + 1}`)
  return rows.map(({ value }) => value)
}

/** Roll-ups of groups: their number does not depend on that of the devices. */
export const listGroupMetrics = async (tx: Tx, asked: Asked, values: readonly string[]): Promise<GroupRow[]> => {
  if (asked.names.length === 0 || values.length === 0) return []
  const { rows } = await tx.execute<GroupRow>(sql`
    select name, value, (extract(epoch from at) * 1000)::bigint as ts, n, sum, min, max,
      array_to_string(bins, ',') as bins, array_to_string(counts, ',') as counts
    from ${groupMetrics}
    where ${within(asked, asked.span.stepS % 3600 === 0 ? 3600 : 300)} and value = any(${sql.param(values)}::text[])`)
  return rows
}

/** The names of tags by their ids, for those that still exist. */
export const listTagNames = async (tx: Tx, ids: readonly string[]): Promise<Map<string, string>> => {
  const rows = await tx
    .select({ id: tags.id, name: tags.name })
    .from(tags)
    .where(inArray(tags.id, [...ids]))
  return new Map(rows.map(({ id, name }) => [id, name]))
}
