import type { DeletionObstacle } from '../../../contract/accounts/account-deletion'
import type { Tx } from '../../core/database/tx'
import { listProjects } from '../projects/repository'
import { listOpenSubscriptions, listOwnMemberships } from './repository'

/** What a person has to hand over, delete or cancel first. */
export const listObstacles = async (tx: Tx, userId: string): Promise<DeletionObstacle[]> => {
  const memberships = await listOwnMemberships(tx, userId)
  const owned = memberships
    .filter(({ role, owners }) => role === 'owner' && owners === 1)
    .map(({ publicId, name }) => ({ kind: 'organization' as const, id: publicId, name }))
  const projects = (await listProjects(tx, { ownerId: userId })).map(({ project: { id, name } }) => ({
    kind: 'project' as const,
    id,
    name,
  }))
  const isPaying = (await listOpenSubscriptions(tx, userId)).some(({ goesOn }) => goesOn)
  return [...owned, ...projects, ...(isPaying ? [{ kind: 'subscription' as const, id: null, name: 'Your subscription' }] : [])]
}
