import * as contract from '../../../contract/accounts/access-requests'
import { product } from '../../../contract/core/limits'
import { allows, permissionWords } from '../../../contract/core/permissions'
import { rolePermissions, rolesWith } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import type { Endpoint } from '../../../contract/core/endpoint'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { lockRecipients, queueMail } from '../../core/mail/queue-mail'
import { findMembership, listMemberAddresses, updateMemberRole } from '../members/repository'
import { ownsProject } from '../organizations/repository'
import { findRequest, insertRequest, listRequests, lockRequest, updateDecision } from './repository'
import { accessRequestToJson } from './to-json'
import { requireRoleChange } from '../members/role-change'

const target = ({ id, permission }: { id: string; permission: string }) => ({ kind: 'access_request', id, name: permission })

/** Addresses of the members who may assign roles. */
const listManagers = async (tx: Tx, organizationId: string): Promise<string[]> =>
  (await listMemberAddresses(tx, organizationId))
    .filter(({ role }) => rolePermissions[role].includes('organization:manage_members'))
    .map(({ email }) => email)

const read = async (tx: Tx, organizationId: string, id: string): Promise<contract.AccessRequest> =>
  accessRequestToJson((await findRequest(tx, organizationId, id)) ?? notFound())

const decide = async (call: Call<Endpoint>, id: string, state: 'granted' | 'denied') => {
  const { tx, now, user, organization, deps } = call
  const row = await lockRequest(tx, organization.id, id)
  if (!row) return notFound()
  if (row.state !== 'open') refuse(409, 'decided', { message: `This request was ${row.state} already` })
  await updateDecision(tx, id, { state, decidedBy: user.id }, now)
  const decided = await read(tx, organization.id, id)
  const text = `Your request for “${permissionWords(row.permission)}” in ${organization.name} was ${state} by ${user.name || user.email}.\n\n${deps.config.urls.console}/organizations/${organization.publicId}/projects\n`
  const subject = `Your request in ${organization.name} on ${product.name} was ${state}`
  call.afterCommit(await queueMail(tx, deps, { limited: true, to: decided.user.email, subject, text }))
  return decided
}

export const accessRequestRoutes = (api: Api): void => {
  route(api, contract.accessRequests, async ({ tx, organization, user, grants, query }) => {
    const mine = allows(grants, ['organization:manage_members']) ? undefined : user.id
    const { rows, ...page } = await listRequests(tx, organization.id, mine, query)
    return { access_requests: rows.map(accessRequestToJson), ...page }
  })

  route(api, contract.createAccessRequest, async ({ tx, deps, organization, user, body, now, grants, audit, afterCommit }) => {
    const { permission, project_id: projectId = null, reason = '' } = body
    if (allows(grants, [permission])) refuse(409, 'already_held', { message: 'Your role has this permission already' })
    if (projectId !== null && !(await ownsProject(tx, organization.id, projectId)))
      refuseField('project_id', 'unknown', 'There is no such project')
    const asked = { organizationId: organization.id, userId: user.id, permission, projectId, reason }
    const row = await insertRequest(tx, asked, now)
    if (!row) return refuse(409, 'already_asked', { message: 'You have asked for this already' })
    const asking = user.name ? `${user.name} (${user.email})` : user.email
    const place = `${deps.config.urls.console}/account/settings/organizations/list/${organization.publicId}/members`
    const written = reason && `Message:\n\n${reason.replace(/^/gm, '  ')}\n\n`
    const text = `${asking} asks for “${permissionWords(permission)}” in ${organization.name}. Roles that have it: ${rolesWith(permission).join(', ')}.\n\n${written}Decide:\n\n${place}\n`
    const subject = `${user.name || user.email} asks for “${permissionWords(permission)}” in ${organization.name}`
    const managers = await listManagers(tx, organization.id)
    await lockRecipients(tx, managers)
    for (const to of managers) afterCommit(await queueMail(tx, deps, { limited: true, to, subject, text }))
    audit({ target: target(row) })
    return read(tx, organization.id, row.id)
  })

  route(api, contract.grantAccessRequest, async (call) => {
    const { tx, organization, user, params, body, audit } = call
    const asked = await read(tx, organization.id, params.accessRequestId)
    if (!rolePermissions[body.base_role].includes(asked.permission))
      refuseField(
        'base_role',
        'lacks_permission',
        `The role ${body.base_role} does not have “${permissionWords(asked.permission)}”`,
      )
    const before = await findMembership(tx, organization.id, asked.user.id)
    if (before && !allows(rolePermissions[body.base_role], rolePermissions[before.baseRole]))
      refuseField(
        'base_role',
        'lowers',
        `The role ${body.base_role} lacks permissions of their present role, ${before.baseRole}. Choose one that has them all, or change their role in the list of members`,
      )
    const change = { organizationId: organization.id, actorId: user.id, userId: asked.user.id, to: body.base_role }
    await requireRoleChange(tx, change)
    await updateMemberRole(tx, organization.id, asked.user.id, body.base_role)
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
