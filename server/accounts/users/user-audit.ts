import type { FastifyRequest } from 'fastify'
import type { AuditAction } from '../../../contract/core/audit-actions'
import { append, type AuditFacts } from '../../core/audit/chain'
import type { Tx } from '../../core/database/tx'
import type { UserRow } from './repository'

type Noted = {
  action: AuditAction
  result?: 'success' | 'failure'
  user: Pick<UserRow, 'id' | 'fullName' | 'email'>
  /** False while the password is being checked: no one is signed in. */
  proven: boolean
  now: Date
  /** For entries about more than the person: their chain, target and facts. */
  about?: Partial<Pick<AuditFacts, 'chainId' | 'projectId' | 'target' | 'changes' | 'credential' | 'reason'>>
}

/** Writes an entry of a person's audit chain, for actions at the sign-in host. */
export const recordUserAudit = (
  tx: Tx,
  request: FastifyRequest,
  { action, result = 'success', user, proven, now, about }: Noted,
): Promise<void> =>
  append(tx, {
    chainId: user.id,
    occurredAt: now,
    action,
    result,
    actor: proven
      ? { kind: 'user', id: user.id, name: user.fullName, email: user.email }
      : { kind: 'anonymous', id: null, name: null, email: null },
    credential: { kind: 'password', id: null },
    sourceIp: request.ip,
    userAgent: request.headers['user-agent']?.slice(0, 256) ?? null,
    requestId: request.id,
    projectId: null,
    target: { kind: 'user', id: user.id, name: user.email },
    changes: [],
    reason: null,
    ...about,
  })
