import * as contract from '../../../contract/accounts/notifications'
import { allows } from '../../../contract/core/permissions'
import type { Tx } from '../../core/database/tx'
import { announceChange } from '../../core/events/changes'
import type { Api } from '../../core/http/api'
import { notFound } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { listProjectPeople, type ProjectPerson } from './people.repository'
import { countUnread, listNotifications, markOneRead, markReadThrough, saveNotificationLevel } from './repository'
import { notificationSettingToJson, notificationToJson } from './to-json'

/** The caller in each project that they may see now. */
const listSeen = async (tx: Tx, userId: string, projectIds?: readonly string[]): Promise<ProjectPerson[]> => {
  const found = await listProjectPeople(tx, { userIds: [userId], ...(projectIds && { projectIds }) })
  return found.filter(({ grants }) => allows(grants, ['project:view']))
}

export const notificationRoutes = (api: Api): void => {
  route(api, contract.notifications, async ({ tx, user, query }) => {
    const seen = await listSeen(tx, user.id)
    const projectIds = seen.map(({ project }) => project.id)
    const { rows, next_cursor } = await listNotifications(tx, user.id, projectIds, query)
    const toJson = (row: (typeof rows)[number]) =>
      notificationToJson(
        row,
        seen.find(({ project }) => project.id === row.projectId),
      )
    return { notifications: rows.map(toJson), next_cursor, unread: await countUnread(tx, user.id, projectIds) }
  })

  route(api, contract.readNotifications, async ({ tx, user, body, now }) => {
    await markReadThrough(tx, user.id, body.through, now)
    await announceChange(tx, user.id)
  })

  route(api, contract.readNotification, async ({ tx, user, params, now }) => {
    await markOneRead(tx, params.notificationId, now)
    await announceChange(tx, user.id)
  })

  route(api, contract.notificationSettings, async ({ tx, user }) => ({
    settings: (await listSeen(tx, user.id)).map(notificationSettingToJson),
  }))

  route(api, contract.changeNotificationSetting, async ({ tx, user, params, body: { level }, audit }) => {
    const [seen] = await listSeen(tx, user.id, [params.projectId])
    if (!seen) return notFound()
    await saveNotificationLevel(tx, { userId: user.id, projectId: seen.project.id }, level)
    audit({ target: { kind: 'project', ...seen.project }, changes: [{ field: 'level', before: seen.level, after: level }] })
    return notificationSettingToJson({ ...seen, level })
  })
}
