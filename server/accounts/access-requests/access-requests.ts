import { and, eq } from 'drizzle-orm'
import * as contract from '../../../contract/access-requests'
import { product } from '../../../contract/limits'
import { allows } from '../../../contract/permissions'
import { rolePermissions, rolesWith } from '../../../contract/roles'
import { accessRequests } from '../schema/invites'
import { members } from '../schema/organizations'
import { users } from '../schema/people'
import { projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import type { Endpoint } from '../../../contract/endpoint'
import { newRow, rowUpdate } from '../../core/database/row'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { lockRecipients, queueMail } from '../../core/mail/queue-mail'
import { findRequest, listRequests } from './list'
import { requireRoleChange } from '../members/role-change'

const target = ({ id, permission }: { id: string; permission: string }) => ({ kind: 'access_request', id, name: permission })

/** Ids of the members who may assign roles. */
const managersOf = async (tx: Tx, organizationId: string): Promise<string[]> => {
  const all = await tx
    .select({ role: members.baseRole, email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.organizationId, organizationId))
  return all.filter(({ role }) => rolePermissions[role].includes('organization:manage_members')).map(({ email }) => email)
}

const decide = async (call: Call<Endpoint>, id: string, state: 'granted' | 'denied') => {
  const { tx, now, user, organization, deps } = call
  const mine = and(eq(accessRequests.id, id), eq(accessRequests.organizationId, organization.id))
  const [row] = await tx.select().from(accessRequests).where(mine).for('update')
  if (!row) return notFound()
  if (row.state !== 'open') refuse(409, 'decided', { message: `This request was ${row.state} already` })
  await tx
    .update(accessRequests)
    .set({ state, decidedBy: user.id, decidedAt: now, ...rowUpdate(now) })
    .where(mine)
  const decided = (await findRequest(tx, mine)) ?? notFound()
  const text = `Your request for ${row.permission} in ${organization.name} was ${state} by ${user.name || user.email}.\n\n${deps.config.urls.console}/organizations/${organization.publicId}/projects\n`
  const subject = `Your request in ${organization.name} on ${product.name} was ${state}`
  call.afterCommit(await queueMail(tx, deps, { limited: true, to: decided.user.email, subject, text }))
  return decided
}

export const accessRequestRoutes = (api: Api): void => {
  route(api, contract.accessRequests, ({ tx, organization, user, grants, query }) =>
    listRequests(tx, organization.id, allows(grants, ['organization:manage_members']) ? undefined : user.id, query),
  )

  route(api, contract.createAccessRequest, async ({ tx, deps, organization, user, body, now, grants, audit, afterCommit }) => {
    const { permission, project_id: projectId = null, reason = '' } = body
    if (allows(grants, [permission])) refuse(409, 'already_held', { message: 'Your role has this permission already' })
    if (projectId !== null) {
      const inside = and(eq(projects.id, projectId), eq(projects.organizationId, organization.id))
      if ((await tx.select().from(projects).where(inside)).length === 0)
        refuseField('project_id', 'unknown', 'There is no such project')
    }
    const row = {
      ...newRow(now),
      organizationId: organization.id,
      userId: user.id,
      permission,
      projectId,
      reason,
      state: 'open' as const,
      decidedBy: null,
      decidedAt: null,
    }
    const [made] = await tx.insert(accessRequests).values(row).onConflictDoNothing().returning()
    if (!made) refuse(409, 'already_asked', { message: 'You have asked for this already' })
    const asking = user.name ? `${user.name} (${user.email})` : user.email
    const place = `${deps.config.urls.console}/account/settings/organizations/list/${organization.publicId}/members`
    const written = reason && `They write:\n\n${reason.replace(/^/gm, '  ')}\n\n`
    const text = `${asking} asks for ${permission} in ${organization.name}. Roles that have it: ${rolesWith(permission).join(', ')}.\n\n${written}Decide:\n\n${place}\n`
    const subject = `${user.name || user.email} asks for ${permission} in ${organization.name}`
    const managers = await managersOf(tx, organization.id)
    await lockRecipients(tx, managers)
    for (const to of managers) afterCommit(await queueMail(tx, deps, { limited: true, to, subject, text }))
    audit({ target: target(row) })
    return (await findRequest(tx, eq(accessRequests.id, row.id))) ?? notFound()
  })

  route(api, contract.grantAccessRequest, async (call) => {
    const { tx, organization, user, params, body, audit } = call
    const asked = (await findRequest(tx, eq(accessRequests.id, params.accessRequestId))) ?? notFound()
    if (!rolePermissions[body.base_role].includes(asked.permission))
      refuseField('base_role', 'lacks_permission', `The role ${body.base_role} does not have ${asked.permission}`)
    const change = { organizationId: organization.id, actorId: user.id, userId: asked.user.id, to: body.base_role }
    await requireRoleChange(tx, change)
    const membership = and(eq(members.organizationId, organization.id), eq(members.userId, asked.user.id))
    const [before] = await tx.select().from(members).where(membership)
    await tx.update(members).set({ baseRole: body.base_role }).where(membership)
    const decided = await decide(call, params.accessRequestId, 'granted')
    const changes = [{ field: 'base_role', before: before?.baseRole ?? null, after: body.base_role }]
    audit({ target: target(decided), changes })
    return decided
  })

  route(api, contract.denyAccessRequest, async (call) => {
    const decided = await decide(call, call.params.accessRequestId, 'denied')
    call.audit({ target: target(decided) })
    return decided
  })
}
