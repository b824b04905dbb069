import { and, eq } from 'drizzle-orm'
import * as contract from '../../../contract/members'
import { members } from '../schema/organizations'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { requireRoleChange } from './role-change'
import { listMembers, memberOf } from './repository'

const membership = (organizationId: string, userId: string) =>
  and(eq(members.organizationId, organizationId), eq(members.userId, userId))

export const memberRoutes = (api: Api): void => {
  route(api, contract.members, ({ tx, organization, query }) => listMembers(tx, organization.id, query))

  route(api, contract.member, async ({ tx, organization, params, user }) => {
    const found = await memberOf(tx, organization.id, params.memberId === 'self' ? user.id : params.memberId)
    return found ?? notFound()
  })

  route(api, contract.updateMember, async ({ tx, organization, params, body, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await requireRoleChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: body.base_role })
    const before = (await memberOf(tx, organization.id, userId)) ?? notFound()
    await tx.update(members).set({ baseRole: body.base_role }).where(membership(organization.id, userId))
    const after = (await memberOf(tx, organization.id, userId)) ?? notFound()
    const target = { kind: 'member', id: userId, name: after.user.name || after.user.email }
    audit({ target, changes: changesOf(before, after, ['base_role']) })
    return after
  })

  route(api, contract.removeMember, async ({ tx, organization, params, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await requireRoleChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: null })
    const before = (await memberOf(tx, organization.id, userId)) ?? notFound()
    await tx.delete(members).where(membership(organization.id, userId))
    audit({ target: { kind: 'member', id: userId, name: before.user.name || before.user.email } })
  })
}
