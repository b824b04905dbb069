import * as one from '../../../contract/accounts/organization'
import * as contract from '../../../contract/accounts/organizations'
import { group } from '../../../contract/core/permissions'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { effectiveRole, memberPermissionsIn } from '../../../contract/accounts/project-permissions'
import { rolePermissions } from '../../../contract/core/roles'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { countOwners, deleteMember, findMembership, lockMembers } from '../members/repository'
import { findProjectRole } from '../members/project-roles.repository'
import { requirePlanCapacity } from '../plan-limit'
import { lockUser } from '../users/repository'
import { createOrganization } from './create'
import {
  countCreated,
  deleteOrganization,
  getOrganization,
  hasRunningSubscription,
  listOrganizations,
  lockOrganization,
  ownsProject,
  updateOrganization,
} from './repository'
import { organizationToJson, organizationToSummary } from './to-json'

const target = (id: string, name: string) => ({ kind: 'organization', id, name })

/** A value from before a change of the plan may stay, and has no effect beyond the plan. */
const requireAuditDays = ({ plan, settings }: one.Organization, days: number | undefined) => {
  const most = planLimits[plan].audit_days
  if (days === undefined || days === settings.audit_retention_days || days <= most) return
  refuseField('settings.audit_retention_days', 'plan_limit', `The ${plan} plan keeps the audit log for at most ${most} days`)
}

export const organizationRoutes = (api: Api): void => {
  route(api, contract.organizations, async ({ tx, user }) => ({
    organizations: (await listOrganizations(tx, user.id)).map(organizationToSummary),
  }))

  route(api, one.createOrganization, async ({ tx, user, body, now, audit }) => {
    // The lock keeps concurrent requests from exceeding the limit together.
    await lockUser(tx, user.id)
    requirePlanCapacity(user.plan, 'organizations', await countCreated(tx, user.id))
    const { name, description = '' } = body
    const id = await createOrganization(tx, { name, description, plan: user.plan, createdBy: user.id, now })
    const created = organizationToJson(await getOrganization(tx, id), 'owner')
    audit({ target: target(created.public_id, name), organizationId: id })
    return created
  })

  route(api, one.organization, async ({ tx, organization: { id, role } }) =>
    organizationToJson(await getOrganization(tx, id), role),
  )

  route(api, one.updateOrganization, async ({ tx, organization: { id, role }, user, body, now, audit, checkRevision }) => {
    const before = organizationToJson(await lockOrganization(tx, id), role)
    checkRevision(before)
    const { settings, ...rest } = body
    // Whoever requires a second factor must have one, or they would lock themselves out.
    if (settings?.require_mfa && !before.settings.require_mfa && !user.secondFactor)
      refuseField('settings.require_mfa', 'own_factor_first', 'Turn on two-step sign-in for your own account first')
    requireAuditDays(before, settings?.audit_retention_days)
    await updateOrganization(tx, id, { ...rest, settings: { ...before.settings, ...settings } }, now)
    const after = organizationToJson(await getOrganization(tx, id), role)
    const changes = changesOf(before, after, ['name', 'description', 'settings'])
    audit({ target: target(after.public_id, after.name), changes })
    return after
  })

  route(api, one.deleteOrganization, async ({ tx, organization: { id, role }, body, audit, checkRevision }) => {
    const before = organizationToJson(await lockOrganization(tx, id), role)
    checkRevision(before)
    if (body.confirm_name !== before.name) refuseField('confirm_name', 'mismatch', 'Type the name of the organization')
    if (before.project_count > 0)
      refuse(409, 'has_projects', { message: 'The organization still has projects', about: { projects: before.project_count } })
    if (await hasRunningSubscription(tx, id))
      refuse(409, 'has_subscription', {
        message: 'Deleting the organization would not end its subscription. Cancel the subscription first',
      })
    await deleteOrganization(tx, id)
    audit({ target: target(before.public_id, before.name) })
  })

  route(api, one.leaveOrganization, async ({ tx, organization: { id, publicId, name }, user, audit }) => {
    // Under the lock of the organization: the role may have changed since the request began (T-07).
    await lockMembers(tx, id)
    const membership = await findMembership(tx, id, user.id)
    if (!membership) notFound()
    if (membership.baseRole === 'owner' && (await countOwners(tx, id)) === 1)
      refuse(409, 'last_owner', { message: 'The last owner cannot leave or change role' })
    await deleteMember(tx, id, user.id)
    audit({ target: target(publicId, name) })
  })

  route(api, contract.memberPermissions, async ({ tx, organization: { id }, params, query, user }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const member = await findMembership(tx, id, userId)
    if (!member) return notFound()
    const { baseRole } = member
    const { project_id: projectId } = query
    if (projectId === undefined) return { permissions: group(rolePermissions[baseRole]), baseRole }
    if (!(await ownsProject(tx, id, projectId))) return notFound()
    const own = await findProjectRole(tx, projectId, userId)
    return { permissions: group(memberPermissionsIn(baseRole, own)), baseRole: effectiveRole(baseRole, own) }
  })
}
