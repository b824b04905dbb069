import { product } from '../../contract/core/limits'
import { field, hidden, notice, type Wrong } from './fields'
import type { Fields } from './forms'
import { type AuthorizationRequest, queryOf } from './authorization'
import { html, type Markup } from '../core/html'

type Form = {
  asked: AuthorizationRequest | undefined
  csrf: string
  fields?: Fields
  wrong?: Wrong
  /** The invited address, for a visitor from its mail: they own it, and no other address can answer the invite. */
  invited?: string | undefined
}

const passwordField = (wrong: Wrong, focus = false) =>
  field({
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: 'At least 12 characters. A few words are fine.',
    focus,
    wrong,
  })

/** Without an invite only name and address; the password is chosen behind the mailed link. */
export const signUpForm = ({ asked, csrf, fields = {}, wrong = {}, invited }: Form): Markup =>
  html`<h1>Sign up</h1>
    <p>${asked && 'invite' in asked ? 'to answer your invite' : 'to create your own account'}</p>
    <form method="post" action="/signup" novalidate>
      ${hidden({ csrf, ...asked })}
      ${field({ name: 'full_name', label: 'Full name', value: fields.full_name, autocomplete: 'name', focus: true, wrong })}
      ${field({
        name: 'email',
        label: 'E-mail',
        type: 'email',
        value: invited ?? fields.email,
        autocomplete: 'username',
        fixed: invited !== undefined,
        hint:
          invited === undefined
            ? 'We will send a link to this address. Use it to choose your password.'
            : 'The invite was sent to this address.',
        wrong,
      })}
      ${invited !== undefined && passwordField(wrong)}
      <button class="primary">Sign up</button>
    </form>
    <p class="after">Have an account? <a href="/signin${queryOf(asked)}">Sign in</a></p>`

type Confirm = { token: string; csrf: string; asked: AuthorizationRequest | undefined; email: string; wrong?: Wrong }

/** The page behind the mailed link: the person who filled in the form may be someone else, so the password is chosen here. */
export const confirmForm = ({ token, csrf, asked, email, wrong = {} }: Confirm): Markup =>
  html`<h1>Choose a password</h1>
    <p>This creates the account of <strong>${email}</strong> and signs you in.</p>
    <form method="post" action="/signup/${token}" novalidate>
      ${hidden({ csrf, ...asked })} <input type="hidden" name="username" value="${email}" autocomplete="username" />
      ${passwordField(wrong, true)}
      <button class="primary">Confirm and sign in</button>
    </form>`

type Sent = { email: string; good: 'a day' | 'an hour'; back: string; local: boolean }

export const checkMail = ({ email, good, back, local }: Sent): Markup =>
  html`<h1>Check your mail</h1>
    <p>We sent a link to <strong>${email}</strong>. It is valid for ${good}.</p>
    ${local && notice(html`This server sends no mail: <a href="/outbox">open its outbox</a>.`, 'info')}
    <p class="after"><a href="/signin${back}">Back to sign in</a></p>`

type Letter = { base: string; token: string; asked: AuthorizationRequest | undefined }

export const signUpMail = ({ base, token, asked }: Letter) => ({
  subject: `Your ${product.name} account`,
  text: `Use this link to choose your password and create your account. It is valid for a day.\n\n${base}/signup/${token}${queryOf(asked)}\n\nIf you did not request this, ignore this mail.\n`,
})

export const knownMail = (base: string) => ({
  subject: `You have a ${product.name} account`,
  text: `Someone, probably you, tried to sign up with this address, which already has an account.\n\nSign in: ${base}/signin\nForgot your password? ${base}/forgot\n`,
})
