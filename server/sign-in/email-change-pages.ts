import { product } from '../../contract/core/limits'
import { maskEmail } from '../accounts/invites/answer'
import type { OpenedChange } from '../accounts/credentials/email-changes.repository'
import { hidden } from './fields'
import { html, type Markup } from '../core/html'

type Shown = OpenedChange & { token: string; csrf: string }

const until = ({ change }: OpenedChange) => `${change.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`

/** The new address may belong to somebody else: its page shows little of the account. */
const facts = (opened: OpenedChange) => {
  const { change, side } = opened
  return html`<dl class="facts">
    <div>
      <dt>Now</dt>
      <dd>${side === 'old' ? change.oldEmail : maskEmail(change.oldEmail)}</dd>
    </div>
    <div>
      <dt>New</dt>
      <dd><strong>${change.newEmail}</strong></dd>
    </div>
    <div>
      <dt>Valid until</dt>
      <dd>${until(opened)}</dd>
    </div>
  </dl>`
}

export const confirmPage = ({ token, csrf, ...opened }: Shown): Markup =>
  html`<h1>Change the e-mail address</h1>
    <p>of your ${product.name} account. It changes once both addresses have confirmed.</p>
    ${facts(opened)}
    <form method="post" action="/email/${token}">
      ${hidden({ csrf })}
      <button class="primary" name="answer" value="confirm">Confirm change</button>
      <button class="secondary" name="answer" value="withdraw">This was not me</button>
    </form>`

const toConsole = (console: string) =>
  html`<p class="after"><a href="${console}/account/settings/profile">Open your profile</a></p>`

/** This address has confirmed, the other one has not. */
export const waitingPage = ({ change, side }: OpenedChange, console: string): Markup =>
  html`<h1>Confirmed</h1>
    <p>
      One step is left: use the link that we mailed to
      <strong>${side === 'old' ? change.newEmail : maskEmail(change.oldEmail)}</strong>.
    </p>
    ${toConsole(console)}`

export const changedPage = ({ change }: OpenedChange, console: string): Markup =>
  html`<h1>Your address was changed</h1>
    <p>Sign in with <strong>${change.newEmail}</strong> from now on. Your sessions stay open.</p>
    ${toConsole(console)}`

export const takenPage = (): Markup =>
  html`<h1>The address was not changed</h1>
    <p>The new address has got an account meanwhile. The change was withdrawn.</p>
    <p class="after"><a href="/signin">Go to sign in</a></p>`

/** Who did not ask for it: the password may be known to somebody else. */
export const withdrawnPage = ({ side }: OpenedChange): Markup =>
  html`<h1>The change was withdrawn</h1>
    ${
      side === 'old'
        ? html`<p>
              The address stays as it is. Whoever asked for the change knows your password: choose a new one now. This signs you
              out everywhere.
            </p>
            <div class="ways"><a class="primary" href="/forgot">Choose a new password</a></div>`
        : html`<p>Your address is used by no other account. There is nothing else to do.</p>`
    }`
