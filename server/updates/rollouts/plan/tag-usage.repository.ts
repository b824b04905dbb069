import { and, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { countsOfTag } from '../../../fleet/devices/state/counts.repository'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import { textList } from '../../../core/database/text-list'
import { rollouts, rolloutWaves } from '../../schema/rollouts'
import { isActiveToken } from '../../../fleet/enrollment/repository'
import { enrollmentTokens } from '../../../fleet/schema/devices'
import { tags } from '../../../fleet/schema/tags'
import type { CountTagUsage, DeleteTagUse, RenameTagUse, TagUsage } from '../../../fleet/tags/repository'
import { findRollout, updateRollout } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'

const ended = textList(rolloutMoves.withTag('ended'))

/** Of the rollout `x`: it has not ended and selects by this name, in its target or a wave. */
const selectsBy = (name: SQL) => sql`x.phase not in ${ended}
  and (x.target -> 'tags_all' ? ${name} or x.target -> 'tags_any' ? ${name} or x.target -> 'tags_none' ? ${name}
    or exists (select from ${rolloutWaves} w where w.rollout_id = x.id and w.tag = ${name}))`

/** How many devices have a tag, how many rollouts that have not ended select by its name, and how many active tokens give it. */
export const countTagUsage: CountTagUsage = async (tx, tagIds, now) => {
  if (tagIds.length === 0) return new Map()
  const { rows } = await tx.execute<TagUsage & { id: string }>(sql`
    select t.id,
      (select coalesce(sum(c.n), 0)::bigint from ${countsOfTag(sql`t.id`)} c) as devices,
      (select count(*) from ${rollouts} x where x.project_id = t.project_id and ${selectsBy(sql`t.name`)}) as rollouts,
      (select count(*) from ${enrollmentTokens} where ${enrollmentTokens.projectId} = t.project_id
        and t.name = any(${enrollmentTokens.defaultTags}) and ${isActiveToken(now)}) as "enrollmentTokens"
    from ${tags} t where ${inArray(sql`t.id`, [...tagIds])}`)
  return new Map(rows.map(({ id, ...usage }) => [id, usage]))
}

/**
 * Rollouts that have not ended follow a renamed tag: otherwise a device that they leave out by it would join, and one that they
 * select by it would not.
 */
export const renameTagInRollouts: RenameTagUse = async (tx, { projectId, from, to }, now) => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select x.id from ${rollouts} x where x.project_id = ${projectId} and ${selectsBy(sql`${from}::text`)}
    order by x.id for no key update`)
  const named = (names: string[] | undefined) => names?.map((name) => (name === from ? to : name))
  for (const { id } of rows) {
    const row = await findRollout(tx, id)
    if (!row) continue
    const { tags_all, tags_any, tags_none, ...target } = row.target
    const lists = { tags_all: named(tags_all), tags_any: named(tags_any), tags_none: named(tags_none) }
    await updateRollout(tx, id, { target: { ...target, ...lists } }, now)
    await tx
      .update(rolloutWaves)
      .set({ tag: to })
      .where(and(eq(rolloutWaves.rolloutId, id), eq(rolloutWaves.tag, from)))
  }
}

/** No device joins an open rollout that leaves devices out by a deleted tag: it can no longer tell which ones it left out. */
export const freezeRolloutsWithout: DeleteTagUse = async (tx, { projectId, name }, now) => {
  const { rows } = await tx.execute<{ id: string }>(sql`
    select x.id from ${rollouts} x
    where x.project_id = ${projectId} and x.membership = 'dynamic' and x.phase not in ${ended} and x.target -> 'tags_none' ? ${name}::text
    order by x.id for no key update`)
  for (const { id } of rows) {
    await updateRollout(tx, id, { membership: 'frozen' }, now)
    const text = `The tag ${name}, by which it leaves devices out, was deleted: no more devices join`
    await insertTimelineEntry(tx, { id, projectId }, { at: now, kind: 'membership.frozen', text })
  }
}
