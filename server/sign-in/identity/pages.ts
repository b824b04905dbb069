import { type AuthorizationRequest, queryOf } from '../authorization'
import { field, hidden, notice, type Wrong } from '../fields'
import { html, type Markup } from '../../core/html'
import { type IdentityRefusalCode, identityRefusals } from './refusals'

type Refused = {
  code: IdentityRefusalCode
  name: string
  asked: AuthorizationRequest | undefined
  requestId: string
  password: boolean
}

export const refusedPage = ({ code, name, asked, requestId, password }: Refused): Markup =>
  html`<h1>${code === 'provider_unavailable' ? `${name} does not answer` : 'Sign-in did not complete'}</h1>
    <p>
      ${
        code === 'provider_unavailable'
          ? `Try again in a few minutes${password ? ', or sign in with your password' : ''}.`
          : `${identityRefusals[code].replaceAll('NAME', name)}.`
      }
    </p>
    <p class="after"><a href="/signin${queryOf(asked)}">Back to sign in</a></p>
    <p class="hint"><code>${code}</code>, request <code>${requestId}</code></p>`

type Link = { asked: AuthorizationRequest | undefined; csrf: string; name: string; email: string; sent: boolean; wrong?: Wrong }

/** An account with this address exists: its person proves it once, by the password or a mailed code. */
export const linkForm = ({ asked, csrf, name, email, sent, wrong = {} }: Link): Markup =>
  html`<h1>Connect your account</h1>
    <p>
      <strong>${email}</strong> already has an account. ${sent ? 'Enter the code from our mail' : 'Enter its password'} once; from
      then on ${name} signs you in to it.
    </p>
    ${sent && notice('A code was sent. It is valid for ten minutes.', 'info')}
    <form method="post" action="/signin/oidc/link" novalidate>
      ${hidden({ csrf, ...asked })} <input type="hidden" name="username" value="${email}" autocomplete="username" />
      ${
        sent
          ? field({
              name: 'code',
              label: 'Code',
              autocomplete: 'one-time-code',
              numeric: true,
              hint: 'Eight digits.',
              focus: true,
              wrong,
            })
          : field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', focus: true, wrong })
      }
      <button class="primary">Connect and sign in</button>
    </form>
    <form method="post" action="/signin/oidc/link">
      ${hidden({ csrf, ...asked, send: sent ? 'no' : 'yes' })}
      <button class="secondary">${sent ? 'Use the password instead' : 'Send me a code instead'}</button>
    </form>
    <p class="after"><a href="/signin${queryOf(asked)}">Use another account</a></p>`
