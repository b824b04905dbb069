import { createHash } from 'node:crypto'
import { and, desc, eq, gt, isNull } from 'drizzle-orm'
import type { ListIssuedTokens } from '../../core/http/bad-tokens'
import { nextId } from '../../core/ids'
import { sessions } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import { createToken, hashOf } from '../../core/tokens/token'

export type SessionRow = typeof sessions.$inferSelect
type NewSession = { userId: string; signInId: string | null; now: Date; absoluteS: number; ip: string; userAgent: string | null }

/** PKCE, method S256: the challenge is the hash of the verifier. */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url')

/** A new session. Only this result contains its token. */
export const createSession = async (tx: Tx, { userId, signInId, now, absoluteS, ip, userAgent }: NewSession) => {
  const token = createToken('ses')
  const expiresAt = new Date(now.getTime() + absoluteS * 1000)
  const id = nextId(now)
  const times = { createdAt: now, lastUsedAt: now, expiresAt }
  await tx.insert(sessions).values({ id, userId, signInId, tokenHash: hashOf(token), ...times, ip, userAgent })
  return { id, token, expiresAt }
}

export const endSession = (tx: Tx, id: string, now: Date) =>
  tx
    .update(sessions)
    .set({ endedAt: now })
    .where(and(eq(sessions.id, id), isNull(sessions.endedAt)))
    .returning()

/** The tokens of all sessions of this time on that have neither ended nor expired. */
export const listIssuedTokens: ListIssuedTokens = (tx, since, now) =>
  tx
    .select({ tokenHash: sessions.tokenHash })
    .from(sessions)
    .where(and(isNull(sessions.endedAt), gt(sessions.createdAt, since), gt(sessions.expiresAt, now)))

/** A person's live sessions: not ended, not past either limit. */
export const liveSessions = (tx: Tx, userId: string, now: Date, idleS: number): Promise<SessionRow[]> =>
  tx
    .select()
    .from(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        isNull(sessions.endedAt),
        gt(sessions.expiresAt, now),
        gt(sessions.lastUsedAt, new Date(now.getTime() - idleS * 1000)),
      ),
    )
    .orderBy(desc(sessions.createdAt))
