import { and, eq, inArray, sql } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { deviceTags } from '../../../fleet/schema/devices'
import { tags } from '../../../fleet/schema/tags'

type Ranked = { ranked: string | null; below: number[] | null }

/**
 * The devices in the order of their numbers in a rollout, and how many have a number below each limit. The database numbers
 * them as `waveNumber` does, by the first 32 bits of SHA-256(`rollout:device`) mod 10000: a hundred thousand hashes in this
 * process would delay other requests.
 */
export const listRanked = async (tx: Tx, rolloutId: string, deviceIds: readonly string[], limits: readonly number[]) => {
  const { rows } = await tx.execute<Ranked>(sql`
    with hashed as (
      select id, sha256(convert_to(${`${rolloutId}:`}::text || id, 'UTF8')) as h
      from unnest(string_to_array(${deviceIds.join(',')}, ',')) as id
    ), numbered as materialized (
      select id,
        ((get_byte(h, 0)::bigint << 24) | (get_byte(h, 1) << 16) | (get_byte(h, 2) << 8) | get_byte(h, 3)) % 10000 as number
      from hashed
    )
    select
      (select string_agg(id, ',' order by number, id collate "C") from numbered) as ranked,
      (select array_agg((select count(*)::int from numbered where number < bound) order by n)
        from unnest(${sql.param(limits)}::float8[]) with ordinality as limits (bound, n)) as below`)
  const [{ ranked, below } = { ranked: null, below: null }] = rows
  return { ranked: ranked?.split(',') ?? [], below: below ?? [] }
}

/** The devices of a project with each of these tags, by tag; all of them, or only some devices. */
export const listTagged = async (
  tx: Tx,
  projectId: string,
  names: readonly string[],
  among?: readonly string[],
): Promise<Map<string, Set<string>>> => {
  if (names.length === 0) return new Map()
  const rows = await tx
    .select({ name: tags.name, ids: sql<string>`string_agg(${deviceTags.deviceId}, ',')` })
    .from(deviceTags)
    .innerJoin(tags, eq(tags.id, deviceTags.tagId))
    .where(
      and(
        eq(tags.projectId, projectId),
        inArray(tags.name, [...names]),
        among && sql`${deviceTags.deviceId} = any(${sql.param([...among])}::text[])`,
      ),
    )
    .groupBy(tags.name)
  // One text instead of a row per device: splitting it takes milliseconds.
  return new Map(rows.map(({ name, ids }) => [name, new Set(ids.split(','))]))
}
