import * as contract from '../../../contract/accounts/account-deletion'
import type { Api } from '../../core/http/api'
import { refuse, refuseField } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { findCredential, holdPassword } from '../credentials/repository'
import { redeemFactorCode, recordFactorAttempt } from '../credentials/second-factor/use-code'
import { recordFailedProof, refuseWrongPassword, verifyPassword } from '../credentials/verify-password'
import { deleteOwnAccount, lockAll, type OfPeople, requireNoObstacles } from './delete-account'
import { exportedAccount } from './export'
import { listObstacles } from './obstacles'
import { countWorkingTokens } from './repository'

const refuseWithoutCode = () => refuseField('code', 'required', 'Code is required')

export const accountDeletionRoutes = (api: Api, ofPeople: OfPeople): void => {
  route(api, contract.accountDeletion, async ({ tx, user, now }) => {
    const tokens = await countWorkingTokens(tx, user.id, now)
    return {
      obstacles: await listObstacles(tx, user.id),
      access_tokens: tokens.reduce((sum, { n }) => sum + n, 0),
      has_password: (await findCredential(tx, user.id)) !== undefined,
      second_factor: user.secondFactor,
    }
  })

  route(api, contract.exportAccount, ({ deps, user, now, audit, reply }) => {
    audit({ target: { kind: 'user', id: user.id, name: user.email } })
    reply.headers({
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="account-${now.toISOString().slice(0, 10)}.json"`,
    })
    // Uses the pool: the transaction of the audit entry ends before the first byte is sent.
    return exportedAccount(deps.db, user.id, now)
  })

  routeWithPreparation(
    api,
    contract.deleteAccount,
    async (call) => {
      const { deps, user, body } = call
      if (body.confirm_email.trim().toLowerCase() !== user.email.toLowerCase())
        refuseField('confirm_email', 'mismatch', 'Type the email address of your account')
      if (user.secondFactor && body.code === undefined) refuseWithoutCode()
      if (!(await findCredential(deps.db, user.id))) refuse(409, 'no_password', { message: 'Set a password first' })
      const verified = await verifyPassword(call, body.current_password)
      return { verified, attempt: user.secondFactor ? await recordFactorAttempt(deps, user.id) : undefined }
    },
    async (call, { verified, attempt }) => {
      const { tx, deps, user, body, now, afterCommit, afterRefusal } = call
      const row = await lockAll(tx, user.id)
      // T-11: a change of the password meanwhile has ended this session.
      if (!(await holdPassword(tx, verified))) refuseWrongPassword()
      await requireNoObstacles(tx, user.id)
      if (row.mfaEnabled) {
        const { code } = body
        if (code === undefined || !attempt) return refuseWithoutCode()
        if ((await redeemFactorCode(tx, deps, { userId: user.id, code, now })) === undefined) {
          afterRefusal(() => recordFailedProof(call, 'second factor not proven'))
          refuseField('code', 'wrong', 'This code is wrong or was used before')
        }
        afterCommit(attempt.succeeded)
      }
      await deleteOwnAccount(call, row, ofPeople)
    },
  )
}
