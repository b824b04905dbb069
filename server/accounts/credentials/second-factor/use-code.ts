import { plainCode } from '../../../../contract/accounts/account'
import type { Tx } from '../../../core/database/tx'
import type { Deps } from '../../../core/deps'
import { recordSignInAttempt } from '../attempts'
import { redeemRecoveryCode } from './recovery-codes'
import { lockSecondFactor, updateSecondFactor } from './repository'
import { unseal } from '../../../core/tokens/seal'
import { stepOf } from './totp'

/**
 * Counts an attempt of the second factor before the code is checked. By account alone, from any address: only someone who knows
 * the password gets this far, and six digits could be guessed from many addresses.
 */
export const recordFactorAttempt = (deps: Deps, userId: string) => recordSignInAttempt(deps, `second factor ${userId}`, '')

type Spending = { userId: string; code: string; now: Date }

/** Uses up a code of the app or a recovery code; undefined if it is wrong or already used. */
export const redeemFactorCode = async (
  tx: Tx,
  deps: Pick<Deps, 'config'>,
  { userId, code, now }: Spending,
): Promise<'app' | 'recovery' | undefined> => {
  const plain = plainCode(code)
  const factor = await lockSecondFactor(tx, userId)
  if (!factor || factor.enabledAt === null) return undefined
  if (!/^\d{6}$/.test(plain)) return (await redeemRecoveryCode(tx, userId, plain, now)) ? 'recovery' : undefined
  const step = stepOf(await unseal(tx, deps, userId, factor.sealedSecret), plain, now)
  // A code that was observed cannot be used again.
  if (step === undefined || step <= factor.lastStep) return undefined
  await updateSecondFactor(tx, userId, { lastStep: step })
  return 'app'
}
