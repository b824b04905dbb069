import type { Tx } from '../../core/database/tx'
import type { ProjectScope } from '../../core/http/scope'
import { findOrganization } from '../organizations/repository'

/** Whether another person has to approve rollouts of a project, by its own rule or that of its organization. */
export const requiresApproval = async (
  tx: Tx,
  { organizationId, settings }: Pick<ProjectScope, 'organizationId' | 'settings'>,
): Promise<boolean> => {
  if (settings.require_approval) return true
  const found = organizationId === null ? undefined : await findOrganization(tx, organizationId)
  return found?.settings.require_release_approval ?? false
}
