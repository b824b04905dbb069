import { is, enums } from 'superstruct'
import { product } from '../../contract/core/limits'
import { notFound, refuse } from '../core/http/refuse'
import { formatTimestamp } from '../core/timestamps'
import { hasStandIn } from '../accounts/billing/stripe'
import { referenceOf } from '../accounts/billing/billing-account'
import { type BillingAccountView, listBillingAccounts } from '../accounts/billing/list-accounts'
import { findSubscription } from '../accounts/billing/current'
import type { SubscriptionRow } from '../accounts/billing/repository'
import { type BillingAction, billingActions, sendBillingEvents } from './billing-events'
import { signedInOf } from './cookies'
import { checkForm, type Fields, formToken } from './forms'
import { show, type SignInHost } from './host'
import { html, type Markup } from '../core/html'
import { shapes } from './page'

const Action = enums(billingActions)
const words: Record<BillingAction, string> = {
  subscribe: 'Subscribe to production',
  cancel: 'Cancel at the end of the period',
  resume: 'Resume',
  end: 'End now',
  fail: 'Let a payment fail',
  pay: 'Pay the open invoice',
}

/** Actions that keep the plan come first; cancelling is never the first button. */
const keeps: ReadonlySet<BillingAction> = new Set(['subscribe', 'resume', 'pay'])

/** The possible actions of a subscription in its present state. */
const possible = (row: SubscriptionRow | undefined): BillingAction[] => {
  if (!row || row.state === 'canceled' || row.state === 'none') return ['subscribe']
  if (row.state === 'past_due') return ['pay', 'end']
  return row.cancelAtPeriodEnd ? ['resume', 'end'] : ['cancel', 'fail', 'end']
}

const saidOf = ({ space }: BillingAccountView, row: SubscriptionRow | undefined): string => {
  if (!row || row.state === 'none' || row.state === 'canceled') return `${space.plan} plan, no subscription`
  const end = row.currentPeriodEnd ? formatTimestamp(row.currentPeriodEnd).slice(0, 10) : 'an open date'
  if (row.state === 'past_due') return `${space.plan} plan, payment failed`
  return row.cancelAtPeriodEnd ? `${space.plan} plan, ends on ${end}` : `${space.plan} plan, renews on ${end}`
}

type Shown = { seen: BillingAccountView; row: SubscriptionRow | undefined }

const card = ({ seen, row }: Shown, csrf: string, back: string): Markup => {
  const title = seen.space.kind === 'user' ? `Personal: ${seen.space.name}` : seen.space.name
  return html`<li>
    <h2>${title}</h2>
    <p>${saidOf(seen, row)}</p>
    <form class="actions" method="post" action="/billing">
      <input type="hidden" name="csrf" value="${csrf}" />
      <input type="hidden" name="space" value="${referenceOf(seen.space)}" />
      <input type="hidden" name="back" value="${back}" />
      ${possible(row).map(
        (action) =>
          html`<button class="${keeps.has(action) ? 'primary' : 'secondary'}" name="action" value="${action}">
            ${words[action]}
          </button>`,
      )}
    </form>
  </li>`
}

// T-08: only paths, and only of the console.
const pathOf = (text: unknown): string => {
  const path = typeof text === 'string' ? text : ''
  return /^\/(?![/\\])[\w\-./~?=&%]{0,512}$/.test(path) ? path : '/account/settings/subscriptions'
}

export const billingRoutes = ({ app, deps }: SignInHost): void => {
  const { db, config } = deps
  const spacesFor = async (userId: string): Promise<Shown[]> => {
    const spaces = (await listBillingAccounts(db, userId)).filter(({ manageable }) => manageable)
    return Promise.all(spaces.map(async (seen) => ({ seen, row: await findSubscription(db, seen.space) })))
  }

  app.get<{ Querystring: Fields }>('/billing', async (request, reply) => {
    if (!hasStandIn(config)) return notFound()
    const { query } = request
    const back = pathOf(query.back)
    const signedIn = await signedInOf(deps, request)
    if (!signedIn) {
      const main = html`<h1>Billing</h1>
        <p>This browser is not signed in here. Sign in, then open billing from the console again.</p>
        <p class="after"><a href="${config.urls.console}${back}">Back to the console</a></p>`
      return show(reply, deps, { title: 'Billing', main, status: 401 })
    }
    const { csrf } = formToken(request, reply, config)
    const all = await spacesFor(signedIn.user.id)
    const wanted = all.filter(({ seen }) => query.space === undefined || referenceOf(seen.space) === query.space)
    const main = html`<h1>Billing</h1>
      <p>Simulates the billing provider of ${product.name} on this machine. No payments are made, but the events are real.</p>
      ${query.done === '1' && html`<p class="notice">${shapes.info}Done. The console was notified.</p>`}
      <ul class="mails">
        ${wanted.map((shown) => card(shown, csrf, back))}
      </ul>
      <p class="after"><a href="${config.urls.console}${back}">Back to the console</a></p>`
    return show(reply, deps, { title: 'Billing', wide: true, main })
  })

  app.post('/billing', async (request, reply) => {
    if (!hasStandIn(config)) return notFound()
    const fields = checkForm(request, config)
    const signedIn = await signedInOf(deps, request)
    const all = signedIn ? await spacesFor(signedIn.user.id) : []
    const found = all.find(({ seen }) => referenceOf(seen.space) === fields.space) ?? notFound()
    const { action } = fields
    if (!is(action, Action) || !possible(found.row).includes(action))
      return refuse(409, 'conflict', { message: 'This is not possible in the current state. Reload the page' })
    await sendBillingEvents(deps, action, referenceOf(found.seen.space), found.row)
    const back = pathOf(fields.back)
    if (action === 'subscribe') return reply.redirect(`${config.urls.console}${back}`, 303)
    return reply.redirect(`/billing?${new URLSearchParams({ done: '1', back })}`, 303)
  })
}
