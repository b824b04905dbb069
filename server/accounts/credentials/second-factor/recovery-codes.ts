import { randomBytes } from 'node:crypto'
import { and, count, eq, isNull } from 'drizzle-orm'
import { recoveryCodeCount } from '../../../../contract/account'
import { recoveryCodes } from '../../schema/people'
import type { Tx } from '../../../core/database/tx'
import { hashOf } from '../../../core/tokens/token'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** 80 random bits in four groups: too many to guess from a hash. */
const createRecoveryCode = () =>
  Array.from(randomBytes(16), (byte) => alphabet[byte % 32])
    .join('')
    .replace(/(.{4})(?=.)/g, '$1-')

const hashed = (code: string) => hashOf(code.replaceAll('-', ''))

/** Replaces all recovery codes by ten new ones. Only this result contains them. */
export const replaceRecoveryCodes = async (tx: Tx, userId: string): Promise<string[]> => {
  const codes = Array.from({ length: recoveryCodeCount }, createRecoveryCode)
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, codeHash: hashed(code) })))
  return codes
}

const unused = (userId: string) => and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt))

/** Uses up a code; of two concurrent calls with the same code one succeeds. `code` without its dashes. */
export const redeemRecoveryCode = async (tx: Tx, userId: string, code: string, now: Date): Promise<boolean> => {
  const mine = and(unused(userId), eq(recoveryCodes.codeHash, hashed(code)))
  return (await tx.update(recoveryCodes).set({ usedAt: now }).where(mine).returning()).length === 1
}

export const recoveryCodesLeft = async (tx: Tx, userId: string): Promise<number> => {
  const [left] = await tx.select({ n: count() }).from(recoveryCodes).where(unused(userId))
  return left?.n ?? 0
}
