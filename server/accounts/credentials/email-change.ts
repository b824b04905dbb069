import * as contract from '../../../contract/accounts/email-change'
import { secondsAfter } from '../../core/days'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { lockRecipients, queueMail } from '../../core/mail/queue-mail'
import { formatTimestamp } from '../../core/timestamps'
import { createSecret, hashOf } from '../../core/tokens/token'
import { callerAsAuditTarget } from '../users/audit-target'
import { findUserByEmail } from '../users/repository'
import { newAddressMail, oldAddressMail, takenAddressMail } from './email-change-mails'
import { type EmailChangeRow, findEmailChange, hasIdentity, insertEmailChange } from './email-changes.repository'
import { holdPassword } from './repository'
import { findSecondFactor } from './second-factor/repository'
import { recordFactorAttempt, redeemFactorCode } from './second-factor/use-code'
import { recordFailedProof, refuseWrongPassword, verifyPassword } from './verify-password'
import { withdrawEmailChange } from './withdraw-email-change'

const toJson = (row: Omit<EmailChangeRow, 'oldHash' | 'newHash'>): contract.EmailChange => ({
  email: row.newEmail,
  requested_at: formatTimestamp(row.createdAt),
  expires_at: formatTimestamp(row.expiresAt),
  confirmed: { old: row.oldConfirmedAt !== null, new: row.newConfirmedAt !== null },
})

const refuseCode = (call: Call<typeof contract.requestEmailChange>): never => {
  call.afterRefusal(() => recordFailedProof(call, 'second factor not proven'))
  return refuseField('code', 'wrong', 'This code is wrong or was used before')
}

/** Checks what the session alone does not prove; the code of two-step sign-in is used up in the transaction of the change. */
const prepare = async (call: Call<typeof contract.requestEmailChange>) => {
  const { deps, user, body } = call
  if (!deps.config.passwordSignIn)
    refuse(409, 'identity_connected', {
      message: 'This account signs in with a company account. Its address does not change here',
    })
  if (await hasIdentity(deps.db, user.id))
    refuse(409, 'identity_connected', {
      message: 'A company account signs in to this account. Disconnect it under Account, Security first',
    })
  if (body.email.trim().toLowerCase() === user.email) refuseField('email', 'same', 'This is your address already')
  const factor = await findSecondFactor(deps.db, user.id)
  const isOn = factor !== undefined && factor.enabledAt !== null
  if (isOn && body.code === undefined) refuseField('code', 'required', 'Code is required')
  const verified = await verifyPassword(call, body.current_password)
  return { verified, attempt: isOn ? await recordFactorAttempt(deps, user.id) : undefined }
}

export const emailChangeRoutes = (api: Api): void => {
  route(api, contract.emailChange, async ({ tx, user, now }) => {
    const row = await findEmailChange(tx, user.id, now)
    return { change: row ? toJson(row) : null }
  })

  routeWithPreparation(api, contract.requestEmailChange, prepare, async (call, { verified, attempt }) => {
    const { tx, deps, user, body, now, audit, afterCommit } = call
    // A reset meanwhile has ended this session.
    if (!(await holdPassword(tx, verified))) refuseWrongPassword()
    if (attempt) {
      if (!(await redeemFactorCode(tx, deps, { userId: user.id, code: body.code ?? '', now }))) refuseCode(call)
      afterCommit(attempt.succeeded)
    }
    const oldEmail = user.email
    const newEmail = body.email.trim().toLowerCase()
    await withdrawEmailChange(tx, user.id)
    const [oldToken, newToken] = [createSecret(), createSecret()]
    const [oldHash, newHash] = [hashOf(oldToken), hashOf(newToken)]
    const expiresAt = secondsAfter(now, contract.emailChangeHours * 3600)
    const row = { userId: user.id, oldEmail, newEmail, oldHash, newHash, createdAt: now, expiresAt }
    await insertEmailChange(tx, row)
    await lockRecipients(tx, [newEmail])
    const toNew = { oldEmail, newEmail, token: newToken, linkHash: newHash }
    // The page says the same for an address that has an account (T-13).
    const isTaken = (await findUserByEmail(tx, newEmail)) !== undefined
    afterCommit(await queueMail(tx, deps, (isTaken ? takenAddressMail : newAddressMail)(deps.config, toNew)))
    afterCommit(await queueMail(tx, deps, oldAddressMail(deps.config, { ...toNew, token: oldToken, linkHash: oldHash })))
    audit({ target: callerAsAuditTarget(call), changes: [{ field: 'email', before: oldEmail, after: newEmail }] })
    return toJson({ ...row, oldConfirmedAt: null, newConfirmedAt: null })
  })

  route(api, contract.withdrawEmailChange, async (call) => {
    const change = (await withdrawEmailChange(call.tx, call.user.id)) ?? notFound()
    call.audit({ target: callerAsAuditTarget(call), reason: `to ${change.newEmail}` })
  })
}
