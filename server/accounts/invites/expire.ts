import { append } from '../../core/audit/chain'
import type { Deps } from '../../core/deps'
import { findProject } from '../projects/repository'
import { lockExpiredInvites, updateInviteState } from './repository'

const AT_ONCE = 100

/** Closes expired invites, each with an entry in the audit log of its organization or project. */
export const expireInvites = async ({ db, clock }: Deps): Promise<number> => {
  const now = clock()
  return db.transaction(async (tx) => {
    const lapsed = await lockExpiredInvites(tx, now, AT_ONCE)
    const closed: { chainId: string; id: string; email: string; projectId: string | null }[] = []
    for (const { id, email, organizationId, projectId } of lapsed) {
      await updateInviteState(tx, id, 'expired', now)
      const project = projectId === null ? undefined : await findProject(tx, projectId)
      closed.push({ chainId: organizationId ?? project?.ownerId ?? id, id, email, projectId })
    }
    // In the order of their ids, so that it cannot deadlock with others who write several logs.
    for (const { chainId, id, email, projectId } of closed.toSorted((one, other) => (one.chainId < other.chainId ? -1 : 1)))
      await append(tx, {
        chainId,
        occurredAt: now,
        action: 'invite.expire',
        result: 'success',
        actor: { kind: 'system', id: null, name: null, email: null },
        credential: { kind: 'system', id: null },
        sourceIp: null,
        userAgent: null,
        requestId: 'job',
        projectId,
        target: { kind: 'invite', id, name: email },
        changes: [],
        reason: null,
      })
    return lapsed.length
  })
}
