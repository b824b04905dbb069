import type { Endpoint } from '../../../contract/core/endpoint'
import type { Call } from '../../core/http/call'
import { refuseField } from '../../core/http/refuse'
import { recordUserAudit } from '../users/user-audit'
import { passwordsOf } from '../../core/passwords/passwords'
import { transact } from '../../core/http/database-errors'
import { recordSignInAttempt } from './attempts'
import { type CredentialRow, findCredential } from './repository'

type Proving = Pick<Call<Endpoint>, 'deps' | 'user' | 'session' | 'request' | 'now'>

/**
 * Records a wrong password or code of an open session in the account's audit log, in a transaction that the refusal does not
 * undo.
 */
export const recordFailedProof = async ({ deps, user, session, request, now }: Proving, reason: string): Promise<void> => {
  const about = { credential: { kind: 'session', id: session.id }, reason }
  const who = { id: user.id, fullName: user.name, email: user.email }
  await transact(deps.db, (tx) =>
    recordUserAudit(tx, request, { action: 'session.fail', result: 'failure', user: who, proven: true, now, about }),
  )
}

export const refuseWrongPassword = (): never => refuseField('current_password', 'wrong', 'This is not your password')

/**
 * Requires the password again for actions that an open session alone must not do. Counted with the attempts at the sign-in
 * host, so that an unattended session is no second way to guess. Answers with what was verified.
 */
export const verifyPassword = async (
  { deps, user, session, request, now }: Call<Endpoint>,
  password: string,
): Promise<CredentialRow> => {
  const attempt = await recordSignInAttempt(deps, user.email, request.ip)
  const found = await findCredential(deps.db, user.id)
  const isRight = await passwordsOf(deps.config).matches(password, found?.passwordHash)
  if (!isRight || !found) {
    request.log.warn({ request_id: request.id, user_id: user.id }, 'a password check failed')
    await recordFailedProof({ deps, user, session, request, now }, 'password not proven')
    return refuseWrongPassword()
  }
  await attempt.succeeded()
  return found
}
