import type { removeSecondFactor, renewRecoveryCodes } from '../../../contract/accounts/account'
import type { Call } from '../../core/http/call'
import { refuse, refuseField } from '../../core/http/refuse'
import { recordFactorAttempt, redeemFactorCode } from './second-factor/use-code'
import { findSecondFactor } from './second-factor/repository'
import { verifyPassword, recordFailedProof } from './verify-password'

type Both = Call<typeof removeSecondFactor> | Call<typeof renewRecoveryCodes>
type Attempt = Awaited<ReturnType<typeof recordFactorAttempt>>

/** Checks the password, then counts an attempt of the code, which counts even when the change is refused. */
export const verifyBothFactors = async (call: Both): Promise<Attempt> => {
  const { deps, user, body } = call
  const factor = await findSecondFactor(deps.db, user.id)
  if (!factor || factor.enabledAt === null) refuse(409, 'second_factor_off', { message: 'Two-step sign-in is off' })
  await verifyPassword(call, body.current_password)
  return recordFactorAttempt(deps, user.id)
}

export const redeemFactor = async (call: Both, attempt: Attempt): Promise<void> => {
  const { tx, deps, user, body, now, afterCommit } = call
  const by = await redeemFactorCode(tx, deps, { userId: user.id, code: body.code, now })
  if (by === undefined) {
    call.afterRefusal(() => recordFailedProof(call, 'second factor not proven'))
    refuseField('code', 'wrong', 'This code is wrong or was used before')
  }
  afterCommit(attempt.succeeded)
}
