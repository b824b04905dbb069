import { eq, type SQL, sql } from 'drizzle-orm'
import type { DeviceFacets } from '../../../contract/devices'
import { devices, deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import { type Computed, versionSql } from './computed.repository'

type Field = 'connectivity' | 'update' | 'health' | 'version'
type Combination = Record<Field, string | null> & { n: number }
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

/**
 * How many devices of the filter have which value, and how many there are. One pass groups the matching rows by the few
 * combinations that occur; the rest is sums.
 */
export const countFacets = async (tx: Tx, where: SQL, { connectivity, health, update }: Computed) => {
  const { rows } = await tx.execute<Combination>(sql`
    select ${connectivity} as connectivity, ${update} as update, ${health} as health, ${versionSql} as version, count(*) as n
    from ${devices} where ${where} group by 1, 2, 3, 4`)
  const facets: DeviceFacets = {
    connectivity: sumBy(rows, 'connectivity'),
    update: sumBy(rows, 'update'),
    health: sumBy(rows, 'health'),
    version: sumBy(rows, 'version'),
    tag: await countTags(tx, where),
  }
  return { facets, total: rows.reduce((sum, { n }) => sum + n, 0) }
}

export const noFacets: DeviceFacets = { connectivity: [], update: [], health: [], version: [], tag: [] }
