import { eq } from 'drizzle-orm'
import { plainCode } from '../../../../contract/account'
import { secondFactors } from '../../schema/people'
import type { Tx } from '../../../core/database/tx'
import type { Deps } from '../../../core/deps'
import { beginTry } from '../attempts'
import { spendRecoveryCode } from './recovery-codes'
import { unseal } from './seal'
import { stepOf } from './totp'

/**
 * Counts a try of the second factor before it is looked at. By account alone, from wherever it comes: only who knows the
 * password gets this far, and there are too many addresses in the world for six digits.
 */
export const beginFactorTry = (deps: Deps, userId: string) => beginTry(deps, `second factor ${userId}`, '')

type Spending = { userId: string; code: string; now: Date }

/** Takes a code of the app or a recovery code, once; undefined where it is wrong or spent. */
export const spendCode = async (
  tx: Tx,
  deps: Pick<Deps, 'config'>,
  { userId, code, now }: Spending,
): Promise<'app' | 'recovery' | undefined> => {
  const plain = plainCode(code)
  const [factor] = await tx.select().from(secondFactors).where(eq(secondFactors.userId, userId)).for('update')
  if (!factor || factor.enabledAt === null) return undefined
  if (!/^\d{6}$/.test(plain)) return (await spendRecoveryCode(tx, userId, plain, now)) ? 'recovery' : undefined
  const step = stepOf(await unseal(tx, deps, userId, factor.sealedSecret), plain, now)
  // A code that somebody has read over a shoulder, or off the wire, is worth nothing once it was used.
  if (step === undefined || step <= factor.lastStep) return undefined
  await tx.update(secondFactors).set({ lastStep: step }).where(eq(secondFactors.userId, userId))
  return 'app'
}
