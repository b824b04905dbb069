import { expirations } from '../../../contract/overview/expirations'
import { allows } from '../../../contract/core/permissions'
import type { Api } from '../../core/http/api'
import { refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { listExpirations } from './repository'
import { expirationToJson } from './to-json'
import { findSeen, grantsOf } from '../visible'

const idsOf = (list: readonly { id: string }[]) => list.map(({ id }) => id)

export const expirationRoutes = (api: Api): void => {
  route(api, expirations, async ({ tx, user, query, now }) => {
    const { limit, cursor, within_days: withinDays = 30, ...asked } = query
    if (asked.organization_id !== undefined && asked.project_id !== undefined)
      refuseField('project_id', 'either', 'Ask for a project or for an organization')
    const seen = await findSeen(api, tx, user, asked)
    const visible = {
      projects: idsOf(seen.projects.filter(({ grants }) => allows(grants, ['project:view']))),
      guestProjects: idsOf(
        seen.projects.filter(({ organization, grants }) => !organization && allows(grants, ['project:manage_members'])),
      ),
      inviting: idsOf(seen.organizations.filter((one) => allows(grantsOf(one), ['organization:manage_members']))),
      subscribed: idsOf(seen.organizations),
      userId: seen.isEverything ? user.id : null,
    }
    const page = { withinDays, ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }
    const { rows, next_cursor } = await listExpirations(tx, visible, page, now)
    return { expirations: rows.map((row) => expirationToJson(seen, row, now)), next_cursor }
  })
}
