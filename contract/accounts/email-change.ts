import { boolean, type Infer, nullable, object, optional, refine, string, type } from 'superstruct'
import { FactorCode, PresentPassword } from './account'
import { endpoint, session } from '../core/endpoint'
import { emailForm } from '../core/rules'
import { Timestamp } from '../core/shapes'

/** From the request to the second of the two confirmations. */
export const emailChangeHours = 24

/** A change that waits for a press behind the links that were mailed to both addresses. */
export const EmailChange = type({
  email: string(),
  requested_at: Timestamp,
  expires_at: Timestamp,
  confirmed: type({ old: boolean(), new: boolean() }),
})
export type EmailChange = Infer<typeof EmailChange>

const Pending = type({ change: nullable(EmailChange) })

export const emailChange = endpoint({
  method: 'GET',
  path: '/users/self/email_change',
  summary: 'Get the change of the e-mail address that waits for its confirmations, or null.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: Pending,
})

const NewEmail = refine(string(), 'email', (value) => {
  if (value.trim() === '') return 'New e-mail address is required'
  return emailForm.test(value.trim()) || 'This is not an e-mail address'
})

/** The code only with two-step sign-in. */
export const EmailChangeForm = object({ email: NewEmail, current_password: PresentPassword, code: optional(FactorCode) })

export const requestEmailChange = endpoint({
  method: 'POST',
  path: '/users/self/email_change',
  summary:
    'Mail links that confirm a new e-mail address to it and to the present one. Replaces a change that waits. 409 identity_connected.',
  needs: session,
  audit: 'user.email_change_request',
  rate: 'sign_in',
  body: EmailChangeForm,
  answer: EmailChange,
})

export const withdrawEmailChange = endpoint({
  method: 'DELETE',
  path: '/users/self/email_change',
  summary: 'Withdraw the change of the e-mail address. Its links stop working.',
  needs: session,
  audit: 'user.email_change_withdraw',
  rate: 'write',
  answer: 'none',
})
