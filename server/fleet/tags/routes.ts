import * as contract from '../../../contract/fleet/tags'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import {
  type CountTagUsage,
  deleteTag,
  type DeleteTagUse,
  getTag,
  insertTag,
  listTags,
  lockTag,
  type RenameTagUse,
  type TagRow,
  updateTag,
} from './repository'
import { tagToJson } from './to-json'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'tag', id, name })

type Above = { countUsage: CountTagUsage; renameUses: readonly RenameTagUse[]; deleteUses: readonly DeleteTagUse[] }

export const tagRoutes = (api: Api, { countUsage, renameUses, deleteUses }: Above): void => {
  const withUsage = async (tx: Tx, row: TagRow, now: Date) => tagToJson(row, (await countUsage(tx, [row.id], now)).get(row.id))

  route(api, contract.tags, async ({ tx, project, query, now }) => {
    const { rows, next_cursor, total } = await listTags(tx, project.id, query)
    const usage = await countUsage(
      tx,
      rows.map(({ id }) => id),
      now,
    )
    return { tags: rows.map((row) => tagToJson(row, usage.get(row.id))), next_cursor, total }
  })

  route(api, contract.createTag, async ({ tx, project, body, now, audit }) => {
    const made = await withUsage(tx, await getTag(tx, await insertTag(tx, project.id, body, now)), now)
    audit({ target: target(made) })
    return made
  })

  route(api, contract.tag, async ({ tx, params, now }) => withUsage(tx, await getTag(tx, params.tagId), now))

  route(api, contract.updateTag, async ({ tx, project, params, body, now, audit, checkRevision }) => {
    const before = await withUsage(tx, await lockTag(tx, params.tagId), now)
    checkRevision(before)
    await updateTag(tx, params.tagId, body, now)
    const renamed = { projectId: project.id, from: before.name, to: body.name ?? before.name }
    if (renamed.to !== renamed.from) for (const rename of renameUses) await rename(tx, renamed, now)
    const after = await withUsage(tx, await getTag(tx, params.tagId), now)
    audit({ target: target(after), changes: changesOf(before, after, ['name', 'colour', 'description']) })
    return after
  })

  route(api, contract.deleteTag, async ({ tx, project, params, query, now, audit, checkRevision }) => {
    const before = await withUsage(tx, await lockTag(tx, params.tagId), now)
    checkRevision(before)
    const { device_count: devices, used_by_rollouts: rollouts, used_by_enrollment_tokens: tokens } = before
    if (!query.force && devices + rollouts + tokens > 0)
      refuse(409, 'in_use', { message: 'The tag is in use', about: { devices, rollouts, enrollment_tokens: tokens } })
    for (const deleteUse of deleteUses) await deleteUse(tx, { projectId: project.id, name: before.name }, now)
    await deleteTag(tx, params.tagId)
    audit({ target: target(before) })
  })
}
