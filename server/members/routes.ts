import { and, eq } from 'drizzle-orm'
import * as contract from '../../contract/members'
import type { BaseRole } from '../../contract/roles'
import { members, organizations } from '../database/schema/organizations'
import type { Tx } from '../database/tx'
import type { Api } from '../http/api'
import { changesOf } from '../http/audit'
import { notFound, refuse } from '../http/refuse'
import { route } from '../http/route'
import { listMembers, memberOf } from './repository'
import { roleRefusal } from './rules'

const membership = (organizationId: string, userId: string) =>
  and(eq(members.organizationId, organizationId), eq(members.userId, userId))

type Ask = { organizationId: string; actorId: string; userId: string; to: BaseRole | null }

// T-07: under the organization's lock, with the roles as they are now; two changes at once follow one another.
const permitChange = async (tx: Tx, { organizationId, actorId, userId, to }: Ask) => {
  await tx.select().from(organizations).where(eq(organizations.id, organizationId)).for('update')
  const all = await tx.select().from(members).where(eq(members.organizationId, organizationId))
  const actor = all.find((member) => member.userId === actorId)
  const member = all.find((one) => one.userId === userId)
  if (!actor || !member) notFound()
  const owners = all.filter(({ baseRole }) => baseRole === 'owner').length
  const refusal = roleRefusal({ actor: actor.baseRole, own: actorId === userId, from: member.baseRole, owners }, to)
  if (refusal) refuse(refusal.status, refusal.code, { message: refusal.message })
}

export const memberRoutes = (api: Api): void => {
  route(api, contract.members, ({ tx, organization, query }) => listMembers(tx, organization.id, query))

  route(api, contract.member, async ({ tx, organization, params, user }) => {
    const found = await memberOf(tx, organization.id, params.memberId === 'self' ? user.id : params.memberId)
    return found ?? notFound()
  })

  route(api, contract.updateMember, async ({ tx, organization, params, body, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await permitChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: body.base_role })
    const before = (await memberOf(tx, organization.id, userId)) ?? notFound()
    await tx.update(members).set({ baseRole: body.base_role }).where(membership(organization.id, userId))
    const after = (await memberOf(tx, organization.id, userId)) ?? notFound()
    const target = { kind: 'member', id: userId, name: after.user.name || after.user.email }
    audit({ target, changes: changesOf(before, after, ['base_role']) })
    return after
  })

  route(api, contract.removeMember, async ({ tx, organization, params, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await permitChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: null })
    const before = (await memberOf(tx, organization.id, userId)) ?? notFound()
    await tx.delete(members).where(membership(organization.id, userId))
    audit({ target: { kind: 'member', id: userId, name: before.user.name || before.user.email } })
  })
}
