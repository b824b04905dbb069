import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { addUpValues, countedValues, keptValues, valueColumns } from '../../counts/repository'
import { deviceCountChanges, deviceCounts, tagCountChanges, tagCounts, valueCountChanges, valueCounts } from '../../schema/counts'
import { devices, deviceTags } from '../../schema/devices'
import { tags } from '../../schema/tags'

const values = sql.raw(
  `project_id, lifecycle, health_status, update_state, installed_version, installed_display_version, installed_release_id,
    polling_interval_s, contact`,
)

/** The kept counts of a project: sum `n` over rows of equal values. */
export const countsOfProject = (projectId: SQL): SQL => sql`(
  select ${values}, n from ${deviceCounts} where project_id = ${projectId}
  union all select ${values}, n from ${deviceCountChanges} where project_id = ${projectId}
)`

/** How many active devices of a project run which of these releases. */
export const countActiveByRelease = async (tx: Tx, projectId: string, ids: readonly string[]): Promise<Map<string, number>> => {
  const { rows } = await tx.execute<{ id: string; n: number }>(sql`
    select installed_release_id as id, sum(n)::bigint as n from ${countsOfProject(sql`${projectId}`)} as counted
    where lifecycle = 'active' and installed_release_id = any(${sql.param([...ids])}::text[]) group by 1`)
  return new Map(rows.map(({ id, n }) => [id, n]))
}

/** The kept counts of tags: sum `n` over the rows of a tag. */
export const countsOfTag = (tagId: SQL): SQL => sql`(
  select tag_id, n from ${tagCounts} where tag_id = ${tagId}
  union all select tag_id, n from ${tagCountChanges} where tag_id = ${tagId}
)`

const countedDevices = sql`select ${values}, count(*) as n from ${devices} where deleted_at is null group by ${values}`
const countedTags = sql`
  select tag_id, count(*) as n from ${deviceTags} inner join ${devices} on devices.id = device_id
  where deleted_at is null group by tag_id`

const anyOf = (...tables: readonly SQL[]) =>
  sql`(${sql.join(
    tables.map((table) => sql`exists (select from ${table})`),
    sql` or `,
  )})`

/** A condition: something changed that is not added yet. */
const areCountsChanged = anyOf(sql`${deviceCountChanges}`, sql`${tagCountChanges}`, sql`${valueCountChanges}`)
export const findCountChanges = async (tx: Tx): Promise<boolean> => {
  const { rows } = await tx.execute<{ found: boolean }>(sql`select ${areCountsChanged} as found`)
  return rows[0]?.found === true
}
/** A condition: there are devices whose connectivity is reviewed, or changes. */
export const areDevicesCounted = anyOf(
  sql`${deviceCounts}`,
  sql`${deviceCountChanges}`,
  sql`${tagCountChanges}`,
  sql`${valueCountChanges}`,
)

/** Adds the changes to the counts. Writers of devices do not wait for this, and readers see the same sums before and after. */
export const addUpCounts = async (tx: Tx): Promise<void> => {
  await tx.execute(sql`
    with taken as (delete from ${deviceCountChanges} returning *)
    insert into ${deviceCounts} (${values}, n)
    select ${values}, sum(n) from taken group by ${values} having sum(n) <> 0 order by ${values}
    on conflict on constraint device_counts_values do update set n = ${deviceCounts}.n + excluded.n`)
  await tx.execute(sql`
    with taken as (delete from ${tagCountChanges} returning *)
    insert into ${tagCounts} (tag_id, n)
    select tag_id, sum(n) from taken where exists (select from ${tags} where id = tag_id)
    group by tag_id having sum(n) <> 0 order by tag_id
    on conflict on constraint tag_counts_tag do update set n = ${tagCounts}.n + excluded.n`)
  await addUpValues(tx)
}

/** Removes counts of zero, and those of deleted tags. */
export const deleteEmptyCounts = async (tx: Tx): Promise<void> => {
  await tx.execute(sql`delete from ${deviceCounts} where n = 0`)
  await tx.execute(sql`delete from ${valueCounts} where n = 0`)
  await tx.execute(sql`delete from ${tagCounts} where n = 0 or not exists (select from ${tags} where id = tag_id)`)
}

type Count = Record<string, unknown> & { n: number }

const differences = async (tx: Tx, counted: SQL, kept: SQL, columns: SQL): Promise<Count[]> => {
  const { rows } = await tx.execute<Count>(sql`
    select ${columns}, sum(n)::bigint as n from (${counted} union all select ${columns}, -n from ${kept}) as compared
    group by ${columns} having sum(n) <> 0`)
  return rows
}

/** What the kept counts miss; empty if they are exact. */
export const findWrongCounts = async (tx: Tx): Promise<Count[]> => {
  const keptDevices = sql`(select * from ${deviceCounts} union all select * from ${deviceCountChanges}) as kept`
  const keptTags = sql`(select * from ${tagCounts} union all select * from ${tagCountChanges}) as kept
    where exists (select from ${tags} where id = tag_id)`
  return [
    ...(await differences(tx, countedDevices, keptDevices, values)),
    ...(await differences(tx, countedTags, keptTags, sql.raw('tag_id'))),
    ...(await differences(tx, countedValues, keptValues, valueColumns)),
  ]
}

/**
 * Counts everything anew. Writers of devices wait until the transaction ends: what they have not committed is counted by their own
 * rows afterwards.
 */
export const rebuildCounts = async (tx: Tx): Promise<void> => {
  const tables = [deviceCounts, deviceCountChanges, tagCounts, tagCountChanges, valueCounts, valueCountChanges]
  await tx.execute(sql`lock table ${sql.join(tables, sql`, `)} in share row exclusive mode`)
  for (const table of tables) await tx.delete(table)
  await tx.execute(sql`insert into ${deviceCounts} (${values}, n) ${countedDevices}`)
  await tx.execute(sql`insert into ${tagCounts} (tag_id, n) ${countedTags}`)
  await tx.execute(sql`insert into ${valueCounts} (${valueColumns}, n) ${countedValues}`)
}
