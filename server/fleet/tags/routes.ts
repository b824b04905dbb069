import { eq } from 'drizzle-orm'
import * as contract from '../../../contract/tags'
import { tags } from '../schema/tags'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { rowUpdate } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { type CountTagUsage, insertTag, listTags, tagById } from './repository'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'tag', id, name })

export const tagRoutes = (api: Api, { countUsage }: { countUsage: CountTagUsage }): void => {
  api.uniques.set('tags_project_name', { field: 'name', code: 'taken', message: 'A tag with this name exists already' })
  api.places.set('tag', async (tx, id) => {
    const [tag] = await tx.select({ projectId: tags.projectId }).from(tags).where(eq(tags.id, id))
    return tag
  })

  route(api, contract.tags, ({ tx, project, query }) => listTags(tx, project.id, query, countUsage))

  route(api, contract.createTag, async ({ tx, project, body, now, audit }) => {
    const made = await tagById(tx, await insertTag(tx, project.id, body, now), countUsage)
    audit({ target: target(made) })
    return made
  })

  route(api, contract.tag, ({ tx, params }) => tagById(tx, params.tagId, countUsage))

  route(api, contract.updateTag, async ({ tx, params, body, now, audit, checkRevision }) => {
    const before = await tagById(tx, params.tagId, countUsage, true)
    checkRevision(before)
    await tx
      .update(tags)
      .set({ ...body, ...rowUpdate(now) })
      .where(eq(tags.id, params.tagId))
    const after = await tagById(tx, params.tagId, countUsage)
    audit({ target: target(after), changes: changesOf(before, after, ['name', 'colour', 'description']) })
    return after
  })

  route(api, contract.deleteTag, async ({ tx, params, query, audit, checkRevision }) => {
    const before = await tagById(tx, params.tagId, countUsage, true)
    checkRevision(before)
    const { device_count: devices, used_by_rollouts: rollouts } = before
    if (!query.force && devices + rollouts > 0)
      refuse(409, 'in_use', { message: 'The tag is in use', about: { devices, rollouts } })
    await tx.delete(tags).where(eq(tags.id, params.tagId))
    audit({ target: target(before) })
  })
}
