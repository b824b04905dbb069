import { lifetimes } from '../../core/lifetimes'
import * as contract from '../../../contract/accounts/account'
import type { Api } from '../../core/http/api'
import { refuse, refuseField } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { formatTimestampOrNull } from '../../core/timestamps'
import { replaceRecoveryCodes } from './second-factor/recovery-codes'
import { countRecoveryCodes, deleteRecoveryCodes } from './second-factor/recovery-codes.repository'
import {
  deleteSecondFactor,
  findSecondFactor,
  lockSecondFactor,
  type SecondFactorRow,
  updateSecondFactor,
  upsertSecondFactor,
} from './second-factor/repository'
import { seal, unseal } from '../../core/tokens/seal'
import { createFactorSecret, otpauthUrl, stepOf } from './second-factor/totp'
import { verifyBothFactors, redeemFactor } from './verify-both-factors'
import { callerAsAuditTarget } from '../users/audit-target'
import { updateUser } from '../users/repository'
import { verifyPassword } from './verify-password'
import { sendAccountNotice } from './notice-mail'

const isOn = (factor: SecondFactorRow | undefined) => factor !== undefined && factor.enabledAt !== null
const refuseOn = () => refuse(409, 'second_factor_on', { message: 'Two-step sign-in is on already' })

export const secondFactorRoutes = (api: Api): void => {
  const { deps } = api

  route(api, contract.secondFactor, async ({ tx, user }) => {
    const factor = await findSecondFactor(tx, user.id)
    return {
      enabled_at: formatTimestampOrNull(factor?.enabledAt ?? null),
      recovery_codes_left: isOn(factor) ? await countRecoveryCodes(tx, user.id) : 0,
    }
  })

  routeWithPreparation(
    api,
    contract.beginSecondFactor,
    (call) => verifyPassword(call, call.body.current_password),
    async ({ tx, user, now }) => {
      const factor = await lockSecondFactor(tx, user.id)
      if (isOn(factor)) refuseOn()
      const secret = createFactorSecret()
      const sealedSecret = await seal(tx, deps, user.id, secret)
      await upsertSecondFactor(tx, { userId: user.id, sealedSecret, createdAt: now, lastStep: 0 })
      return { secret, otpauth_url: otpauthUrl(secret, user.email) }
    },
  )

  route(api, contract.confirmSecondFactor, async (call) => {
    const { tx, user, body, now, audit } = call
    const factor = await lockSecondFactor(tx, user.id)
    if (isOn(factor)) refuseOn()
    if (!factor || now.getTime() - factor.createdAt.getTime() >= lifetimes.factorSetUpS * 1000)
      return refuse(409, 'second_factor_not_begun', { message: 'The setup has expired. Start again' })
    const step = stepOf(await unseal(tx, deps, user.id, factor.sealedSecret), body.code, now)
    if (step === undefined) return refuseField('code', 'wrong', 'This code is wrong. Check that the clock of your phone is right')
    // The code that confirmed it counts as used.
    await updateSecondFactor(tx, user.id, { enabledAt: now, lastStep: step })
    await updateUser(tx, user.id, { mfaEnabled: true }, now)
    audit({ target: callerAsAuditTarget(call), changes: [{ field: 'mfa_enabled', before: false, after: true }] })
    await sendAccountNotice(call, 'two-step sign-in is on', 'From now on, sign-in asks for a code from your authenticator app.')
    return { recovery_codes: await replaceRecoveryCodes(tx, user.id) }
  })

  routeWithPreparation(api, contract.removeSecondFactor, verifyBothFactors, async (call, attempt) => {
    const { tx, user, now, audit } = call
    await redeemFactor(call, attempt)
    await deleteSecondFactor(tx, user.id)
    await deleteRecoveryCodes(tx, user.id)
    await updateUser(tx, user.id, { mfaEnabled: false }, now)
    audit({ target: callerAsAuditTarget(call), changes: [{ field: 'mfa_enabled', before: true, after: false }] })
    await sendAccountNotice(call, 'two-step sign-in is off', 'Sign-in now asks for your password alone.')
  })

  routeWithPreparation(api, contract.renewRecoveryCodes, verifyBothFactors, async (call, attempt) => {
    await redeemFactor(call, attempt)
    call.audit({ target: callerAsAuditTarget(call) })
    await sendAccountNotice(call, 'new recovery codes', 'New recovery codes were created. The old ones no longer work.')
    return { recovery_codes: await replaceRecoveryCodes(call.tx, call.user.id) }
  })
}
