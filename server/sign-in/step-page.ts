import { field, hidden } from './fields'
import type { AuthorizationRequest } from './authorization'
import { queryOf } from './authorization'
import { html, type Markup } from '../core/html'

type Step = {
  asked: AuthorizationRequest | undefined
  csrf: string
  email: string
  byRecovery: boolean
  /** The page for the other kind of code. */
  other: string
  wrong: string | undefined
}

const app = {
  label: 'Code',
  hint: 'Six digits. The code changes every 30 seconds.',
  autocomplete: 'one-time-code',
  numeric: true,
}
const recovery = {
  label: 'Recovery code',
  hint: 'One of the ten codes that you saved. Each works once.',
  autocomplete: 'off',
  numeric: false,
}

/** The second page of signing in, after the correct password. */
export const stepForm = ({ asked, csrf, email, byRecovery, other, wrong }: Step): Markup =>
  html`<h1>${byRecovery ? 'Use a recovery code' : 'Enter your code'}</h1>
    <p>${byRecovery ? 'Instead of your authenticator app,' : 'From your authenticator app,'} for <strong>${email}</strong></p>
    <form method="post" action="/signin/code" novalidate>
      ${hidden({ csrf, ...asked, ...(byRecovery && { with: 'recovery' }) })}
      ${field({ name: 'code', ...(byRecovery ? recovery : app), focus: true, wrong: { code: wrong } })}
      <button class="primary">Sign in</button>
    </form>
    <p class="after">
      ${byRecovery ? 'Have your phone?' : 'No access to your phone?'}
      <a href="${other}">${byRecovery ? 'Use a code from the app' : 'Use a recovery code'}</a>
    </p>
    <p><a href="/signin${queryOf(asked)}">Use another account</a></p>`
