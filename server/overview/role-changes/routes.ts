import { maxListed, previewRoleChange } from '../../../contract/accounts/role-changes'
import { allows, missing, type Permission } from '../../../contract/core/permissions'
import { memberPermissionsIn } from '../../../contract/accounts/project-permissions'
import type { BaseRole, ProjectRole } from '../../../contract/core/roles'
import { findMembership } from '../../accounts/members/repository'
import type { Api } from '../../core/http/api'
import { notFound } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { listScheduledRollouts, listWorkingTokens, type Made } from './repository'

const toJson = ({ id, name, projectId, projectName }: Made) => ({ id, name, project: { id: projectId, name: projectName } })

/** What a member who gets another role has made; without a role the member is removed. */
export const roleChangeRoutes = (api: Api): void => {
  route(api, previewRoleChange, async ({ tx, organization, params, query, user, now }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const asked = { organizationId: organization.id, userId }
    const before = (await findMembership(tx, organization.id, userId)) ?? notFound()
    const grantsOf = (role: BaseRole | undefined, own: ProjectRole | null) =>
      role === undefined ? [] : memberPermissionsIn(role, own)
    const lost = (own: ProjectRole | null, permissions: readonly Permission[]) =>
      missing(
        grantsOf(query.base_role, own),
        permissions.filter((permission) => allows(grantsOf(before.baseRole, own), [permission])),
      )
    const tokens = await listWorkingTokens(tx, asked, now, maxListed)
    const scheduled = await listScheduledRollouts(tx, asked, maxListed)
    return {
      access_tokens: tokens
        .map((token) => ({ ...toJson(token), lost: lost(token.own, token.permissions) }))
        .filter((token) => token.lost.length > 0),
      scheduled_rollouts: scheduled.filter(({ own }) => lost(own, ['project:manage_releases']).length > 0).map(toJson),
    }
  })
}
