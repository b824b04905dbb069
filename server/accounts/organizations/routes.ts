import { and, eq } from 'drizzle-orm'
import * as one from '../../../contract/organization'
import * as contract from '../../../contract/organizations'
import { group } from '../../../contract/permissions'
import { rolePermissions } from '../../../contract/roles'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projects } from '../schema/projects'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { rowUpdate } from '../../core/database/row'
import { requirePlanCapacity } from '../plan-limit'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { countMade, countOwners, insertOrganization, organizationFor, organizationsOf } from './repository'

const target = (id: string, name: string) => ({ kind: 'organization', id, name })

export const organizationRoutes = (api: Api): void => {
  route(api, contract.organizations, async ({ tx, user }) => ({ organizations: await organizationsOf(tx, user.id) }))

  route(api, one.createOrganization, async ({ tx, user, body, now, audit }) => {
    // The lock keeps concurrent requests from exceeding the limit together.
    await tx.select().from(users).where(eq(users.id, user.id)).for('no key update')
    requirePlanCapacity(user.plan, 'organizations', await countMade(tx, user.id))
    const { name, description = '' } = body
    const id = await insertOrganization(tx, { name, description, plan: user.plan, maker: user.id, now })
    const made = await organizationFor(tx, id, 'owner')
    audit({ target: target(made.public_id, name), organizationId: id })
    return made
  })

  route(api, one.organization, ({ tx, organization }) => organizationFor(tx, organization.id, organization.role))

  route(api, one.updateOrganization, async ({ tx, organization: { id, role }, user, body, now, audit, checkRevision }) => {
    const before = await organizationFor(tx, id, role, true)
    checkRevision(before)
    const { settings, ...rest } = body
    // Whoever requires a second factor must have one, or they would lock themselves out.
    if (settings?.require_mfa && !before.settings.require_mfa && !user.secondFactor)
      refuseField('settings.require_mfa', 'own_factor_first', 'Turn on two-step sign-in for your own account first')
    await tx
      .update(organizations)
      .set({ ...rest, settings: { ...before.settings, ...settings }, ...rowUpdate(now) })
      .where(eq(organizations.id, id))
    const after = await organizationFor(tx, id, role)
    const changes = changesOf(before, after, ['name', 'description', 'settings'])
    audit({ target: target(after.public_id, after.name), changes })
    return after
  })

  route(api, one.deleteOrganization, async ({ tx, organization: { id, role }, body, audit, checkRevision }) => {
    const before = await organizationFor(tx, id, role, true)
    checkRevision(before)
    if (body.confirm_name !== before.name) refuseField('confirm_name', 'mismatch', 'Type the name of the organization')
    if (before.project_count > 0)
      refuse(409, 'has_projects', { message: 'The organization still has projects', about: { projects: before.project_count } })
    await tx.delete(organizations).where(eq(organizations.id, id))
    audit({ target: target(before.public_id, before.name) })
  })

  route(api, one.leaveOrganization, async ({ tx, organization: { id, publicId, name }, user, audit }) => {
    // Under the lock of the organization: the role may have changed since the request began (T-07).
    await tx.select().from(organizations).where(eq(organizations.id, id)).for('update')
    const mine = and(eq(members.organizationId, id), eq(members.userId, user.id))
    const [membership] = await tx.select().from(members).where(mine)
    if (!membership) notFound()
    if (membership.baseRole === 'owner' && (await countOwners(tx, id)) === 1)
      refuse(409, 'last_owner', { message: 'The last owner can neither leave nor be lowered' })
    await tx.delete(members).where(mine)
    audit({ target: target(publicId, name) })
  })

  route(api, contract.memberPermissions, async ({ tx, organization: { id }, params, query, user }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const [member] = await tx
      .select()
      .from(members)
      .where(and(eq(members.organizationId, id), eq(members.userId, userId)))
    if (!member) return notFound()
    if (query.project_id !== undefined) {
      const inside = and(eq(projects.id, query.project_id), eq(projects.organizationId, id))
      if ((await tx.select().from(projects).where(inside)).length === 0) return notFound()
    }
    return { permissions: group(rolePermissions[member.baseRole]), baseRole: member.baseRole }
  })
}
