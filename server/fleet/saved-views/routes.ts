import * as contract from '../../../contract/fleet/saved-views'
import type { SavedView } from '../../../contract/fleet/saved-views'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { notFound, refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { entityToJson } from '../../core/timestamps'
import {
  countSavedViewsOf,
  deleteSavedView,
  insertSavedView,
  listSavedViews,
  lockSavedView,
  type SavedViewRow,
  updateSavedView,
} from './repository'

const savedViewToJson = (row: SavedViewRow): SavedView => ({
  ...entityToJson(row),
  project_id: row.projectId,
  name: row.name,
  query: row.query,
  columns: row.columns,
  dense: row.dense,
  shared: row.shared,
  owner: { id: row.ownerId, name: row.ownerName },
})

/** The guard admits the maker and those who manage devices; they know only what is shared. */
const lockVisible = async (tx: Tx, id: string, userId: string) => {
  const row = await lockSavedView(tx, id)
  return row.shared || row.ownerId === userId ? row : notFound()
}

export const savedViewRoutes = (api: Api): void => {
  route(api, contract.savedViews, async ({ tx, project, user }) => ({
    saved_views: (await listSavedViews(tx, project.id, user.id)).map(savedViewToJson),
  }))

  route(api, contract.createSavedView, async ({ tx, project, user, body, now }) => {
    const limit = contract.maxSavedViews
    if ((await countSavedViewsOf(tx, project.id, user.id)) >= limit)
      refuse(409, 'too_many_views', { message: `You have ${limit} views of this project; delete one first`, about: { limit } })
    const id = await insertSavedView(tx, { projectId: project.id, ownerId: user.id }, body, now)
    return savedViewToJson(await lockSavedView(tx, id))
  })

  route(api, contract.updateSavedView, async ({ tx, params, user, body, now, checkRevision }) => {
    checkRevision(await lockVisible(tx, params.savedViewId, user.id))
    await updateSavedView(tx, params.savedViewId, body, now)
    return savedViewToJson(await lockSavedView(tx, params.savedViewId))
  })

  route(api, contract.deleteSavedView, async ({ tx, params, user }) => {
    await lockVisible(tx, params.savedViewId, user.id)
    await deleteSavedView(tx, params.savedViewId)
  })
}
