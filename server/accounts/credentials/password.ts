import { changePassword } from '../../../contract/accounts/account'
import type { Api } from '../../core/http/api'
import { refuseField } from '../../core/http/refuse'
import { routeWithPreparation } from '../../core/http/route'
import { endSessions } from '../sessions/end-sessions'
import { passwordProblem } from '../../core/passwords/password-rules'
import { passwordsOf } from '../../core/passwords/passwords'
import { updateVerifiedPassword } from './repository'
import { withdrawEmailChange } from './withdraw-email-change'
import { withdrawResets } from './withdraw-resets'
import { callerAsAuditTarget } from '../users/audit-target'
import { refuseWrongPassword, verifyPassword } from './verify-password'
import { sendAccountNotice } from './notice-mail'

export const passwordRoutes = (api: Api): void => {
  routeWithPreparation(
    api,
    changePassword,
    async (call) => {
      const { user, deps, body } = call
      const problem = passwordProblem(body.new_password, user)
      if (problem !== undefined) refuseField('new_password', 'weak', problem)
      const verified = await verifyPassword(call, body.current_password)
      if (body.new_password === body.current_password) refuseField('new_password', 'same', 'This is your current password')
      return { verified, passwordHash: await passwordsOf(deps.config).hash(body.new_password) }
    },
    async (call, { verified, passwordHash }) => {
      const { tx, user, session, now, audit } = call
      // T-11: a reset meanwhile has ended this session, and keeps its password.
      if (!(await updateVerifiedPassword(tx, verified, { passwordHash, changedAt: now }))) refuseWrongPassword()
      // An open reset link would undo the change.
      await withdrawResets(tx, user.id)
      await withdrawEmailChange(tx, user.id)
      await endSessions(tx, user.id, now, session)
      audit({ target: callerAsAuditTarget(call) })
      await sendAccountNotice(call, 'your password was changed', 'Your password was changed. All other sessions were signed out.')
    },
  )
}
