import { and, eq } from 'drizzle-orm'
import * as contract from '../../../contract/guests'
import { projectGuests, projects } from '../schema/projects'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import type { ProjectScope } from '../../core/http/scope'
import { notFound, refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { guestOf, listGuests } from './repository'

/** R6: the members of an organization are those of its projects. */
const personal = ({ organizationId, id }: ProjectScope): string => {
  if (organizationId !== null)
    refuse(409, 'organization_owned', { message: 'The members of the organization are the members of this project' })
  return id
}

const stay = (projectId: string, userId: string) => and(eq(projectGuests.projectId, projectId), eq(projectGuests.userId, userId))

/** The current guest, under the lock of the project; 404 for the owner. */
const lockedGuest = async (tx: Tx, projectId: string, userId: string) => {
  await tx.select({ id: projects.id }).from(projects).where(eq(projects.id, projectId)).for('update')
  const guest = (await guestOf(tx, projectId, userId)) ?? notFound()
  if (guest.base_role === 'owner')
    refuse(409, 'last_owner', { message: 'The owner of a personal project can neither leave nor be lowered' })
  return guest
}

const target = ({ user }: contract.Guest) => ({ kind: 'member', id: user.id, name: user.name || user.email })

export const guestRoutes = (api: Api): void => {
  route(api, contract.projectMembers, ({ tx, project, query }) => listGuests(tx, personal(project), query))

  route(api, contract.projectMember, async ({ tx, project, params, user }) => {
    const userId = params.memberId === 'self' ? user.id : params.memberId
    return (await guestOf(tx, personal(project), userId)) ?? notFound()
  })

  route(api, contract.updateProjectMember, async ({ tx, project, params, body, user, audit }) => {
    const projectId = personal(project)
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const before = await lockedGuest(tx, projectId, userId)
    await tx.update(projectGuests).set({ role: body.base_role }).where(stay(projectId, userId))
    const after = (await guestOf(tx, projectId, userId)) ?? notFound()
    audit({ target: target(after), changes: changesOf(before, after, ['base_role']) })
    return after
  })

  route(api, contract.removeProjectMember, async ({ tx, project, params, user, audit }) => {
    const projectId = personal(project)
    const userId = params.memberId === 'self' ? user.id : params.memberId
    const before = await lockedGuest(tx, projectId, userId)
    await tx.delete(projectGuests).where(stay(projectId, userId))
    audit({ target: target(before) })
  })
}
