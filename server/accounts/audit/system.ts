import type { AuditAction } from '../../../contract/core/audit-actions'
import type { AuditEntry } from '../../../contract/accounts/audit'
import type { Tx } from '../../core/database/tx'
import { append } from '../../core/audit/chain'
import { findProject } from '../projects/repository'

export type SystemEvent = {
  projectId: string
  action: AuditAction
  /** The part of the server that acted, as the log names it. */
  by: string
  target: AuditEntry['target']
  reason: string | null
}

/** Records an action of the server itself in a project, in the transaction of the action. */
export const recordSystemEvent = async (tx: Tx, event: SystemEvent, now: Date): Promise<void> => {
  const { projectId, action, by, target, reason } = event
  const project = await findProject(tx, projectId)
  await append(tx, {
    chainId: project?.organizationId ?? project?.ownerId ?? projectId,
    occurredAt: now,
    action,
    result: 'success',
    actor: { kind: 'system', id: null, name: by, email: null },
    credential: { kind: 'system', id: null },
    sourceIp: null,
    userAgent: null,
    requestId: 'job',
    projectId,
    target,
    changes: [],
    reason,
  })
}
