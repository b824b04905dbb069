import * as contract from '../../../contract/accounts/guests'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound, refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import type { ProjectScope } from '../../core/http/scope'
import { requireExpectedRole } from '../members/expected-role'
import { deleteGuest, findGuest, listGuests, lockGuests, updateGuestRole } from './repository'
import { guestToJson } from './to-json'

/** R6: the members of an organization are those of its projects. */
const personal = ({ organizationId, id }: ProjectScope): string => {
  if (organizationId !== null)
    refuse(409, 'organization_owned', { message: 'The members of the organization are the members of this project' })
  return id
}

const read = async (tx: Tx, projectId: string, userId: string): Promise<contract.Guest> =>
  guestToJson((await findGuest(tx, projectId, userId)) ?? notFound())

/** The current guest, under the lock of the project; 409 for the owner. */
const readLocked = async (tx: Tx, projectId: string, userId: string) => {
  await lockGuests(tx, projectId)
  const guest = await read(tx, projectId, userId)
  if (guest.base_role === 'owner')
    refuse(409, 'last_owner', { message: 'The owner of a personal project cannot leave or change role' })
  return guest
}

const target = ({ user }: contract.Guest) => ({ kind: 'member', id: user.id, name: user.name || user.email })

export const guestRoutes = (api: Api): void => {
  route(api, contract.projectMembers, async ({ tx, project, query }) => {
    const { rows, ...page } = await listGuests(tx, personal(project), query)
    return { members: rows.map(guestToJson), ...page }
  })

  route(api, contract.projectMember, async ({ tx, project, params, user }) =>
    read(tx, personal(project), params.memberId === 'self' ? user.id : params.memberId),
  )

  route(api, contract.updateProjectMember, async ({ tx, project, params, body, user, audit }) => {
    const projectId = personal(project)
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const before = await readLocked(tx, projectId, userId)
    requireExpectedRole(before.base_role, body.expected_base_role)
    await updateGuestRole(tx, projectId, userId, body.base_role)
    const after = await read(tx, projectId, userId)
    audit({ target: target(after), changes: changesOf(before, after, ['base_role']) })
    return after
  })

  route(api, contract.removeProjectMember, async ({ tx, project, params, user, audit }) => {
    const projectId = personal(project)
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const before = await readLocked(tx, projectId, userId)
    await deleteGuest(tx, projectId, userId)
    audit({ target: target(before) })
  })
}
