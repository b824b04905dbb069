import * as contract from '../../../contract/members'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { deleteMember, findMember, listMembers, updateMemberRole } from './repository'
import { requireRoleChange } from './role-change'
import { memberToJson } from './to-json'

const read = async (tx: Tx, organizationId: string, userId: string): Promise<contract.Member> =>
  memberToJson((await findMember(tx, organizationId, userId)) ?? notFound())

const target = ({ user }: contract.Member) => ({ kind: 'member', id: user.id, name: user.name || user.email })

export const memberRoutes = (api: Api): void => {
  route(api, contract.members, async ({ tx, organization, query }) => {
    const { rows, ...page } = await listMembers(tx, organization.id, query)
    return { members: rows.map(memberToJson), ...page }
  })

  route(api, contract.member, ({ tx, organization, params, user }) =>
    read(tx, organization.id, params.memberId === 'self' ? user.id : params.memberId),
  )

  route(api, contract.updateMember, async ({ tx, organization, params, body, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await requireRoleChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: body.base_role })
    const before = await read(tx, organization.id, userId)
    await updateMemberRole(tx, organization.id, userId, body.base_role)
    const after = await read(tx, organization.id, userId)
    audit({ target: target(after), changes: changesOf(before, after, ['base_role']) })
    return after
  })

  route(api, contract.removeMember, async ({ tx, organization, params, user, audit }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    await requireRoleChange(tx, { organizationId: organization.id, actorId: user.id, userId, to: null })
    const before = await read(tx, organization.id, userId)
    await deleteMember(tx, organization.id, userId)
    audit({ target: target(before) })
  })
}
