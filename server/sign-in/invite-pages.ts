import { product } from '../../contract/core/limits'
import { roleDescriptions } from '../../contract/accounts/role-descriptions'
import type { UserRow } from '../accounts/users/repository'
import { maskEmail } from '../accounts/invites/answer'
import type { InviteWithTarget } from '../accounts/invites/repository'
import { nameOf } from '../accounts/invites/state'
import { hidden, notice } from './fields'
import { html, type Markup } from '../core/html'
import type { InvitedVisitor } from './invited-visitor'

type Shown = { found: InviteWithTarget; token: string; csrf: string }

const placeOf = ({ organization, project }: InviteWithTarget) => organization?.name ?? project?.name ?? ''

const who = ({ email, fullName }: Pick<UserRow, 'email' | 'fullName'>) =>
  html`<div class="account">
    <span class="initial" aria-hidden="true">${(email[0] ?? '?').toUpperCase()}</span>
    <span><strong>${fullName || email}</strong>${fullName && html`<small>${email}</small>`}</span>
  </div>`

/** Who invites to what, and with which role. */
const offer = (found: InviteWithTarget) => {
  const { inviter, invite, organization } = found
  return html`<h1>Join ${placeOf(found)}</h1>
    <p>
      <strong>${nameOf(inviter)}</strong>${inviter.fullName !== '' && html` (${inviter.email})`} invites you to this
      ${organization ? 'organization' : 'project'} on ${product.name}.
    </p>
    <dl class="facts">
      <div>
        <dt>Role</dt>
        <dd><strong>${invite.role}</strong> ${roleDescriptions[invite.role]}</dd>
      </div>
      <div>
        <dt>For</dt>
        <dd>${maskEmail(invite.email)}</dd>
      </div>
      <div>
        <dt>Valid until</dt>
        <dd>${invite.expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC</dd>
      </div>
    </dl>
    ${invite.message !== '' && html`<blockquote>${invite.message}</blockquote>`}`
}

type Stranger = { found: InviteWithTarget; query: string; invited: InvitedVisitor | undefined; password: boolean }

/** For a browser that is not signed in. A visitor from the mail gets the one option that applies to their address. */
export const unknownInvitePage = ({ found, query, invited, password }: Stranger): Markup => {
  const signIn = (look: string) => html`<a class="${look}" href="/signin${query}">Sign in to answer</a>`
  const signUp = (look: string) =>
    html`<a class="${look}" href="/signup${query}">Sign up${look === 'primary' && ' to answer'}</a>`
  // Without passwords the identity provider creates the account at the first sign-in.
  const isNew = password && invited?.hasAccount === false
  const ways = isNew ? [signUp('primary'), signIn('secondary')] : [signIn('primary'), ...(password ? [signUp('secondary')] : [])]
  return html`${offer(found)}
    <div class="ways">${ways}</div>
    <p class="hint">Answer with an account that has the invited address.</p>`
}

export const answerPage = ({ found, token, csrf, user }: Shown & { user: UserRow }): Markup =>
  html`${offer(found)}
    <form method="post" action="/invites/${token}">
      ${hidden({ csrf })} ${who(user)}
      <button class="primary" name="answer" value="accept">Accept invite</button>
      <button class="secondary" name="answer" value="decline">Decline</button>
    </form>`

/** Signed in, but not with the address that was invited: offers to switch. */
export const otherAccountPage = ({ found, token, csrf, user }: Shown & { user: UserRow }): Markup =>
  html`${offer(found)} ${notice(html`This invite is for ${maskEmail(found.invite.email)}. You are signed in as ${user.email}.`)}
    <form method="post" action="/signout">
      ${hidden({ csrf, invite: token })}
      <button class="primary">Use another account</button>
    </form>`

const ends: Readonly<Record<string, string>> = {
  accepted: 'This invite was accepted already.',
  declined: 'This invite was declined.',
  expired: 'This invite has expired. Ask for another one.',
  revoked: 'This invite was withdrawn. Ask for another one.',
}

export const endedPage = (found: InviteWithTarget, state: string, console: string): Markup =>
  html`<h1>Invite to ${placeOf(found)}</h1>
    <p>${ends[state] ?? 'This invite can no longer be answered.'}</p>
    <p class="after"><a href="${console}/">Go to ${product.name}</a></p>`

/** The plan has no room for another person: the inviter can change that, and the invite stays. */
export const fullPage = (found: InviteWithTarget, path: string): Markup =>
  html`<h1>${placeOf(found)} has no seat left</h1>
    <p>You did not join yet. Ask <strong>${nameOf(found.inviter)}</strong> to make room. Your invite stays open.</p>
    <p class="after"><a href="${path}">Back to the invite</a></p>`

export const declinedPage = (found: InviteWithTarget, console: string): Markup =>
  html`<h1>Declined</h1>
    <p>You did not join <strong>${placeOf(found)}</strong>. The person who invited you sees this in the list of invites.</p>
    <p class="after"><a href="${console}/">Go to ${product.name}</a></p>`
