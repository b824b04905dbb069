import { inArray, sql } from 'drizzle-orm'
import { countsOfTag } from '../../fleet/devices/counts.repository'
import { rolloutMoves } from '../../../machines/rollout/rollout.machine'
import { textList } from '../../core/database/text-list'
import { rollouts, rolloutWaves } from '../schema/rollouts'
import { tags } from '../../fleet/schema/tags'
import type { CountTagUsage, TagUsage } from '../../fleet/tags/repository'

const ended = textList(rolloutMoves.withTag('ended'))

/** How many devices have a tag, and how many rollouts that have not ended select by its name. */
export const countTagUsage: CountTagUsage = async (tx, tagIds) => {
  if (tagIds.length === 0) return new Map()
  const { rows } = await tx.execute<TagUsage & { id: string }>(sql`
    select t.id,
      (select coalesce(sum(c.n), 0)::bigint from ${countsOfTag(sql`t.id`)} c) as devices,
      (select count(*) from ${rollouts} x where x.project_id = t.project_id
        and x.phase not in ${ended}
        and (x.target -> 'tags_all' ? t.name or x.target -> 'tags_any' ? t.name or x.target -> 'tags_none' ? t.name
          or exists (select from ${rolloutWaves} w where w.rollout_id = x.id and w.tag = t.name))) as rollouts
    from ${tags} t where ${inArray(sql`t.id`, [...tagIds])}`)
  return new Map(rows.map(({ id, devices, rollouts }) => [id, { devices, rollouts }]))
}
