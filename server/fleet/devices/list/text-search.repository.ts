import { type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { foldedBeginning, foldedPattern } from '../../../core/database/fold-case'
import { deviceTexts } from '../../schema/device-texts'
import { devices } from '../../schema/devices'

/** Above so many devices with a text, a list reads in its own order and skips those without it: enough of them have it. */
const most = 1000

/** A search puts so many devices in order. */
const ordered = 100

// The index has each text of one to three characters; those of a longer one that lie side by side find it. With those between them
// fewer devices would be read that lack the text, but it takes twice the time: each is a list of up to all devices.
const gramsOf = (projectId: string | SQL, q: string) => sql`(
  select array_agg(distinct ${projectId}::text || substr(folded, at, 3))
  from fold_case(${q}::text) as folded, lateral (
    select generate_series(1, greatest(1, length(folded) - 2), 3) as at union select greatest(1, length(folded) - 2)
  ) starts
)`

const withText = (projectId: string | SQL, q: string) => sql`
  project_id = ${projectId} and text_grams(project_id, text) @> ${gramsOf(projectId, q)} and text like ${foldedPattern(q)}`

/**
 * Whether a device that is not deleted has a text in its name or serial number: a look-up for each device. As a value and not by
 * `exists`, whose join would read the index of texts once for each device if the statistics of the database are old.
 */
export const isWithText = (q: string): SQL =>
  sql`(select text like ${foldedPattern(q)} from ${deviceTexts} where ${deviceTexts.deviceId} = ${devices.id})`

/** The devices that are not deleted with a text in their name or serial number, by index; null if they are too many to name. */
export const findDevicesWithText = async (tx: Tx, projectId: string, q: string): Promise<string[] | null> => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select device_id as id from ${deviceTexts} where ${withText(projectId, q)} limit ${most + 1}`)
  return rows.length > most ? null : rows.map(({ id }) => id)
}

/**
 * The first devices with a text in their name or serial number: names that begin with it first, then by name; of many devices, some of
 * them.
 */
export const listFirstWithText = async (tx: Tx, projectId: string, q: string, limit: number): Promise<string[]> => {
  const begins = sql`text like ${foldedBeginning(q)}`
  const list = async (from: SQL, most: number) => {
    const { rows } = await tx.execute<{ id: string }>(sql`select device_id as id from ${from} order by text limit ${most}`)
    return rows.map(({ id }) => id)
  }
  const first = await list(sql`${deviceTexts} where project_id = ${projectId} and ${begins}`, limit)
  if (first.length === limit) return first
  const found = sql`(select device_id, text from ${deviceTexts} where ${withText(projectId, q)} limit ${ordered}) found`
  return [...first, ...(await list(sql`${found} where not ${begins}`, limit - first.length))]
}

/** As `listFirstWithText`, over several projects. */
export const listFirstWithTextIn = async (tx: Tx, projectIds: readonly string[], q: string, limit: number): Promise<string[]> => {
  const begins = sql`text like ${foldedBeginning(q)}`
  const inIt = sql`project_id = project.id`
  const { rows } = await tx.execute<{ id: string }>(sql`
    select found.device_id as id
    from unnest(${sql.param(projectIds)}::text[]) as project(id)
    cross join lateral (
      with first as (select device_id, text from ${deviceTexts} where ${inIt} and ${begins} order by text limit ${limit})
      select device_id, text, true as begins from first
      union all
      (select device_id, text, false
       from ${deviceTexts}
       where (select count(*) from first) < ${limit} and ${withText(sql`project.id`, q)} and not ${begins}
       limit ${limit})
    ) found
    order by found.begins desc, found.text, found.device_id
    limit ${limit}`)
  return rows.map(({ id }) => id)
}
