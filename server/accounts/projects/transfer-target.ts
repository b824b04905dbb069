import { allows } from '../../../contract/core/permissions'
import type { Plan } from '../../../contract/accounts/plans'
import { rolePermissions } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import type { User } from '../../core/http/actors'
import { notFound, refuse } from '../../core/http/refuse'
import { lockPlan } from '../organizations/repository'
import { lockUser } from '../users/repository'
import type { Owner } from './repository'
import { refuseWithoutFactor } from './resolve-scope'
import { findJoinedOrganization } from './scope.repository'

/** The new owner of a project, its audit chain, name and plan. */
type TransferTarget = { owner: Owner; auditChainId: string; name: string; plan: Plan }

/** The name of a personal space in the log. */
export const personalSpace = 'personal'

/**
 * Where the caller may put a project: an organization in which they may create projects, or their own personal space. Locked,
 * so that concurrent requests do not exceed its plan together.
 */
export const lockTransferTarget = async (tx: Tx, user: User, publicId: string | null): Promise<TransferTarget> => {
  if (publicId === null) {
    await lockUser(tx, user.id)
    return { owner: { ownerId: user.id }, auditChainId: user.id, name: personalSpace, plan: user.plan }
  }
  const joined = await findJoinedOrganization(tx, user.id, { publicId })
  if (!joined) return notFound()
  const { id, name, settings } = joined.organization
  if (settings.require_mfa && !user.secondFactor) refuseWithoutFactor(name)
  if (!allows(rolePermissions[joined.role], ['project:create']))
    refuse(403, 'forbidden', { requiredPermission: 'project:create', message: `Your role in ${name} may not add projects` })
  const plan = (await lockPlan(tx, id))?.plan ?? notFound()
  return { owner: { organizationId: id }, auditChainId: id, name, plan }
}
