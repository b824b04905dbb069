import { integer, object, string, type } from 'superstruct'
import { endpoint } from '../core/endpoint'
import { pattern } from '../core/rules'
import { Timestamp } from '../core/shapes'

/** §7: every request of the console carries the token in this header. */
export const sessionHeader = 'X-Session-Token'

/** `ses_`, `pat_`, `enr_`, `dvc_` + 43 base 62 characters + 6 of CRC-32. The check characters are the token's tag. */
export const tokenPattern = /^(ses|pat|enr|dvc)_[0-9A-Za-z]{43}[0-9A-Za-z]{6}$/
/** The last six characters: enough to distinguish tokens, useless to an attacker. */
export const tagOf = (token: string): string => token.slice(-6)

export const createSession = endpoint({
  method: 'POST',
  path: '/sessions',
  summary: 'Exchange the code of the sign-in host for a session (PKCE S256).',
  needs: { kind: 'public' },
  audit: 'session.create',
  rate: 'sign_in',
  body: object({
    code: pattern('code', /^[\w-]{20,128}$/, 'The code was not issued by the sign-in host'),
    code_verifier: pattern('code_verifier', /^[\w.~-]{43,128}$/, 'The verifier must be 43 to 128 unreserved characters'),
  }),
  answer: type({ session_token: string(), expires_at: Timestamp, idle_timeout_s: integer() }),
  status: 201,
})

export const deleteCurrentSession = endpoint({
  method: 'DELETE',
  path: '/sessions',
  summary: 'Sign out: end this session and the sign-in that created it. 204 also when it has already ended.',
  needs: { kind: 'public' },
  audit: 'session.delete',
  rate: 'write',
  answer: 'none',
})
