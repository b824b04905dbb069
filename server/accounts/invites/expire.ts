import { and, eq, lte } from 'drizzle-orm'
import { append } from '../../core/audit/chain'
import { invites } from '../schema/invites'
import { projects } from '../schema/projects'
import type { Deps } from '../../core/deps'
import { rowUpdate } from '../../core/database/row'

const AT_ONCE = 100

/** Closes expired invites, each with an entry in the audit log of its organization or project. */
export const expireInvites = async ({ db, clock }: Deps): Promise<number> => {
  const now = clock()
  return db.transaction(async (tx) => {
    const lapsed = await tx
      .select()
      .from(invites)
      .where(and(eq(invites.state, 'pending'), lte(invites.expiresAt, now)))
      .limit(AT_ONCE)
      .for('update', { skipLocked: true })
    for (const { id, email, organizationId, projectId } of lapsed) {
      await tx
        .update(invites)
        .set({ state: 'expired', ...rowUpdate(now) })
        .where(eq(invites.id, id))
      const [project] =
        projectId === null ? [] : await tx.select({ ownerId: projects.ownerId }).from(projects).where(eq(projects.id, projectId))
      await append(tx, {
        chainId: organizationId ?? project?.ownerId ?? id,
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
    }
    return lapsed.length
  })
}
