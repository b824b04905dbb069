import { type SQL, sql } from 'drizzle-orm'
import { attributeOf, type AttributeFilters } from '../../../../contract/fleet/devices'
import { deviceTerms } from '../../schema/device-terms'
import { devices } from '../../schema/devices'
import type { Tx } from '../../../core/database/tx'

/** Above so many devices, a list reads in its own order and skips the others, as with a text. */
const most = 1000

export type TermFilters = AttributeFilters & { trusts_key?: string | undefined }

/** The names and values of `attr.<name>` in a query. */
const attributesIn = (query: TermFilters): [string, string][] =>
  Object.entries(query).flatMap(([parameter, value]) => {
    const name = attributeOf(parameter)
    return name === undefined || value === undefined ? [] : [[name, value]]
  })

/**
 * The conditions on a row. The planner takes a bare comparison for rare, and would read and sort all devices where most of them
 * have the value; rare values are named before.
 */
export const havingTerms = (query: TermFilters): SQL[] => [
  ...attributesIn(query).map(
    ([name, value]) => sql`case when ${devices.attributes} ->> ${name} = ${value} then true else false end`,
  ),
  ...(query.trusts_key === undefined ? [] : [sql`${query.trusts_key} = any(${devices.trustedKeys})`]),
]

/** The devices of a project with all these attributes and keys, by index; null if they are too many to name or none is given. */
export const findDevicesWithTerms = async (tx: Tx, projectId: string, query: TermFilters): Promise<string[] | null> => {
  const terms = [
    ...attributesIn(query).map(([name, value]) => sql`attribute_term(${projectId}, ${name}, ${value})`),
    ...(query.trusts_key === undefined ? [] : [sql`key_term(${projectId}, ${query.trusts_key})`]),
  ]
  if (terms.length === 0) return null
  const { rows } = await tx.execute<{ id: string }>(sql`
    select device_id as id from ${deviceTerms} where terms @> array[${sql.join(terms, sql`, `)}] limit ${most + 1}`)
  return rows.length > most ? null : rows.map(({ id }) => id)
}
