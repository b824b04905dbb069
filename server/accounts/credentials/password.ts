import { changePassword } from '../../../contract/account'
import type { Api } from '../../core/http/api'
import { refuseField } from '../../core/http/refuse'
import { routeWithPreparation } from '../../core/http/route'
import { endSessions } from '../sessions/end-sessions'
import { passwordProblem } from '../../core/passwords/password-rules'
import { passwordsOf } from '../../core/passwords/passwords'
import { upsertCredential } from './repository'
import { withdrawResets } from './withdraw-resets'
import { callerAsAuditTarget } from '../users/audit-target'
import { verifyPassword } from './verify-password'
import { sendAccountNotice } from './notice-mail'

export const passwordRoutes = (api: Api): void => {
  routeWithPreparation(
    api,
    changePassword,
    async (call) => {
      const { user, deps, body } = call
      const problem = passwordProblem(body.new_password, user)
      if (problem !== undefined) refuseField('new_password', 'weak', problem)
      await verifyPassword(call, body.current_password)
      if (body.new_password === body.current_password) refuseField('new_password', 'same', 'This is your current password')
      return passwordsOf(deps.config).hash(body.new_password)
    },
    async (call, passwordHash) => {
      const { tx, user, session, now, audit } = call
      await upsertCredential(tx, { userId: user.id, passwordHash, changedAt: now })
      // An open reset link would undo the change.
      await withdrawResets(tx, user.id)
      await endSessions(tx, user.id, now, session)
      audit({ target: callerAsAuditTarget(call) })
      await sendAccountNotice(call, 'your password was changed', 'Your password was changed. All other sessions were signed out.')
    },
  )
}
