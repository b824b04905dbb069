import { eq, type SQL, sql } from 'drizzle-orm'
import type { DeviceFacets } from '../../../../contract/fleet/devices'
import { devices, deviceTags } from '../../schema/devices'
import { tags } from '../../schema/tags'
import type { Tx } from '../../../core/database/tx'
import type { ProjectRead } from '../../../core/http/scope'
import { type Computed, computedOfGroups, isInUse, versionSql } from '../state/computed.repository'
import { countsOfTag } from '../state/counts.repository'
import { deviceGroups } from '../state/groups.repository'
import { contactPollS } from '../../../accounts/projects/settings'

type Field = 'connectivity' | 'update' | 'health' | 'version'
type Combination = Record<Field, string | null> & { in_use: boolean; n: number }
type Facet = DeviceFacets[Field]

const mostFirst = (a: Facet[number], b: Facet[number]) => b.count - a.count || (a.value < b.value ? -1 : 1)

const sumBy = (rows: readonly Combination[], field: Field): Facet => {
  const counts = new Map<string, number>()
  for (const row of rows) {
    const value = row[field]
    if (value !== null) counts.set(value, (counts.get(value) ?? 0) + row.n)
  }
  return [...counts].map(([value, count]) => ({ value, count })).toSorted(mostFirst)
}

const countTagsOfProject = async (tx: Tx, projectId: string): Promise<DeviceFacets['tag']> => {
  const { rows } = await tx.execute<DeviceFacets['tag'][number]>(sql`
    select t.name as value, sum(n)::bigint as count, t.colour
    from ${tags} t, lateral ${countsOfTag(sql`t.id`)} as counted
    where t.project_id = ${projectId} group by t.name, t.colour having sum(n) <> 0 order by sum(n) desc, t.name`)
  return rows
}

const countTags = (tx: Tx, where: SQL): Promise<DeviceFacets['tag']> => {
  const count = sql<number>`count(*)`
  return tx
    .select({ value: tags.name, count, colour: tags.colour })
    .from(deviceTags)
    .innerJoin(devices, eq(devices.id, deviceTags.deviceId))
    .innerJoin(tags, eq(tags.id, deviceTags.tagId))
    .where(where)
    .groupBy(tags.name, tags.colour)
    .orderBy(sql`count(*) desc`, tags.name)
}

/** `where`: the filter on rows; `ofGroups`: the same filter on groups, null if it names more than they contain. */
type Counted = { where: SQL; values: Computed; ofGroups: { where: SQL; isWhole: boolean } | null; isOfLifecycle: boolean }

const combinationsOf = async ({ tx, project, now }: ProjectRead, { where, values, ofGroups }: Counted) => {
  const { connectivity, health, update } = ofGroups ? computedOfGroups : values
  const from = ofGroups
    ? sql`${deviceGroups({ id: sql`${project.id}`, pollS: sql`${contactPollS(project.settings, now)}::int` }, now)} as devices where ${ofGroups.where}`
    : sql`${devices} where ${where}`
  const n = ofGroups ? sql`sum(n)::bigint` : sql`count(*)`
  const { rows } = await tx.execute<Combination>(sql`
    select ${connectivity} as connectivity, ${update} as update, ${health} as health, ${versionSql} as version, ${isInUse} as in_use, ${n} as n
    from ${from} group by 1, 2, 3, 4, 5`)
  return rows.filter((row) => row.n !== 0)
}

/**
 * How many devices of the filter have which value, and how many there are: from the kept counts where the filter names only
 * what they contain, else in one pass over the matching rows. Both group by the few combinations that occur; the rest is sums.
 */
export const countFacets = async (read: ProjectRead, counted: Counted) => {
  const rows = await combinationsOf(read, counted)
  const { tx, project } = read
  // As the filters by them find, unless the list is one of a lifecycle.
  const found = counted.isOfLifecycle ? rows : rows.filter((row) => row.in_use)
  const facets: DeviceFacets = {
    connectivity: sumBy(found, 'connectivity'),
    update: sumBy(found, 'update'),
    health: sumBy(found, 'health'),
    version: sumBy(found, 'version'),
    tag: counted.ofGroups?.isWhole ? await countTagsOfProject(tx, project.id) : await countTags(tx, counted.where),
  }
  return { facets, total: rows.reduce((sum, { n }) => sum + n, 0) }
}

export const noFacets: DeviceFacets = { connectivity: [], update: [], health: [], version: [], tag: [] }
