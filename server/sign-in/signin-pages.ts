import { field, hidden, notice, type Wrong } from './fields'
import type { AuthorizationRequest } from './authorization'
import { queryOf } from './authorization'
import { html, type Markup } from '../core/html'

type Kept = { asked: AuthorizationRequest | undefined; csrf: string }

const purpose = (asked: AuthorizationRequest | undefined) => {
  if (!asked) return undefined
  if ('invite' in asked) return html`<p>to answer your invite</p>`
  return html`<p>to continue to <code>${new URL(asked.redirect_uri).host}</code></p>`
}

/** `provider`: the name of the identity provider; `password`: whether passwords sign in. */
type Ways = { provider: string | undefined; password: boolean }

type Form = Kept & {
  ways: Ways
  email?: string | undefined
  problem?: string | undefined
  told?: string | undefined
  wrong?: Wrong
}

const passwordForm = ({ asked, csrf, email, wrong = {} }: Form) =>
  html`<form method="post" action="/signin" novalidate>
    ${hidden({ csrf, ...asked })}
    ${field({ name: 'email', label: 'E-mail', type: 'email', value: email, autocomplete: 'username', focus: !email, wrong })}
    ${field({
      name: 'password',
      label: 'Password',
      type: 'password',
      autocomplete: 'current-password',
      aside: html`<a href="/forgot${queryOf(asked)}">Forgot password?</a>`,
      focus: Boolean(email),
      wrong,
    })}
    <button class="primary">Sign in</button>
  </form>`

const continueWith = ({ asked, ways: { provider, password } }: Form) =>
  provider !== undefined &&
  html`${password && html`<p class="or"><span>or</span></p>`}
    <div class="ways">
      <a class="${password ? 'secondary' : 'primary'}" href="/signin/oidc${queryOf(asked)}">Continue with ${provider}</a>
    </div>`

export const signInForm = (form: Form): Markup =>
  html`<h1>Sign in</h1>
    ${purpose(form.asked)} ${notice(form.problem)} ${notice(form.told, 'info')} ${form.ways.password && passwordForm(form)}
    ${continueWith(form)}
    ${form.ways.password && html`<p class="after">No account yet? <a href="/signup${queryOf(form.asked)}">Sign up</a></p>`}`

type Account = Kept & { name: string; email: string }

/** A browser that is signed in gets a confirmation page, never an automatic redirect. */
export const continueForm = ({ asked, csrf, name, email }: Account): Markup =>
  html`<h1>Welcome back</h1>
    ${purpose(asked)}
    <form method="post" action="/signin">
      ${hidden({ csrf, continue: 'yes', ...asked })}
      <div class="account">
        <span class="initial" aria-hidden="true">${(email[0] ?? '?').toUpperCase()}</span>
        <span><strong>${name || email}</strong>${name && html`<small>${email}</small>`}</span>
      </div>
      <button class="primary">Continue as ${name || email}</button>
    </form>
    <form method="post" action="/signout">
      ${hidden({ csrf, ...asked })}
      <button class="secondary">Use another account</button>
    </form>`
