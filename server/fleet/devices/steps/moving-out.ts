import { movingOutRefusal } from '../../../../contract/fleet/moving-out'
import { requiresApproval } from '../../../accounts/projects/requires-approval'
import type { Tx } from '../../../core/database/tx'
import { refuse } from '../../../core/http/refuse'
import type { ProjectScope, RequestScope } from '../../../core/http/scope'

/** One of the two projects of a move, with what the caller may do there. */
export type MovePlace = Pick<RequestScope, 'organization' | 'grants' | 'auditChainId'> & { project: ProjectScope }

/** Whether a rollout that nobody had to approve may still offer its release. */
export type HasUnapprovedRollout = (tx: Tx, projectId: string) => Promise<boolean>

const ownerOf = ({ project }: MovePlace) => project.organizationId ?? project.ownerId ?? ''

/** Why the caller may not move devices by the rule of two persons; undefined if they may. */
export const findMovingOutRefusal = async (
  tx: Tx,
  hasUnapprovedRollout: HasUnapprovedRollout,
  from: MovePlace,
  goal: MovePlace,
): Promise<string | undefined> =>
  movingOutRefusal(
    {
      name: from.project.name,
      owner: ownerOf(from),
      ownerName: from.organization?.name ?? null,
      requiresApproval: await requiresApproval(tx, from.project),
      grants: from.grants,
    },
    {
      name: goal.project.name,
      owner: ownerOf(goal),
      requiresApproval: await requiresApproval(tx, goal.project),
      hasUnapprovedRollout: await hasUnapprovedRollout(tx, goal.project.id),
    },
  )

/** 403 for a person alone who would bring devices to where no second person is needed. */
export const requireMayMoveOut = async (
  tx: Tx,
  hasUnapprovedRollout: HasUnapprovedRollout,
  from: MovePlace,
  goal: MovePlace,
): Promise<void> => {
  const message = await findMovingOutRefusal(tx, hasUnapprovedRollout, from, goal)
  if (message !== undefined) refuse(403, 'forbidden', { requiredPermission: 'project:manage_members', message })
}
