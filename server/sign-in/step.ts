import { and, eq, gt, lte } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { signInSteps, users } from '../accounts/schema/people'
import type { Tx } from '../core/database/tx'
import type { Deps } from '../core/deps'
import { createSecret, hashOf } from '../core/tokens/token'
import { cookieOf, setCookie } from './cookies'

const STEP_S = 600

/** Records that this browser has sent the correct password. It allows only the question for the second factor. */
export const beginStep = async (reply: FastifyReply, { db, clock, config }: Deps, userId: string): Promise<void> => {
  const secret = createSecret()
  const now = clock()
  await db.delete(signInSteps).where(lte(signInSteps.expiresAt, now))
  await db.insert(signInSteps).values({ tokenHash: hashOf(secret), userId, expiresAt: new Date(now.getTime() + STEP_S * 1000) })
  setCookie(reply, config, 'step', secret, STEP_S)
}

export type Step = { tokenHash: string; user: typeof users.$inferSelect }

/** The user whose second factor is still missing in this browser. */
export const stepOf = async ({ db, clock, config }: Deps, request: FastifyRequest): Promise<Step | undefined> => {
  const secret = cookieOf(request, config, 'step')
  if (secret === undefined) return undefined
  const open = and(eq(signInSteps.tokenHash, hashOf(secret)), gt(signInSteps.expiresAt, clock()))
  const [found] = await db
    .select({ tokenHash: signInSteps.tokenHash, user: users })
    .from(signInSteps)
    .innerJoin(users, eq(users.id, signInSteps.userId))
    .where(open)
  return found
}

const only = ({ tokenHash }: Step) => eq(signInSteps.tokenHash, tokenHash)

/** Locks the step: of concurrent requests one has it until its transaction ends; the others find it deleted. */
export const holdStep = async (tx: Tx, step: Step): Promise<boolean> =>
  (await tx.select().from(signInSteps).where(only(step)).for('update')).length === 1

export const endStep = (tx: Tx, step: Step) => tx.delete(signInSteps).where(only(step))
