import * as contract from '../../../contract/accounts/subscriptions'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { validate, readSigned } from '../../core/http/bodies'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { refuseWithoutFactor } from '../projects/resolve-scope'
import { route } from '../../core/http/route'
import { apply } from './apply'
import { checkoutAt, hasStandIn, isSigned, priceOf, webhookSecret } from './stripe'
import { noticeOfPlan } from './notices'
import { type BillingAccount, type CountPlanUsage, referenceOf } from './billing-account'
import { listBillingAccounts, type BillingAccountView } from './list-accounts'
import { findSubscription } from './current'
import { insertBillingEvent, listSubscriptions } from './repository'
import { subscriptionToJson } from './to-json'

const target = ({ publicId, id, name }: BillingAccount) => ({ kind: 'subscription', id: publicId ?? id, name })

export const subscriptionRoutes = (api: Api, { countUsage }: { countUsage: CountPlanUsage }): void => {
  route(api, contract.subscriptions, async ({ tx, user, deps }) => {
    const spaces = await listBillingAccounts(tx, user.id)
    const toJson = async (seen: BillingAccountView) =>
      subscriptionToJson(deps.config, seen, await findSubscription(tx, seen.space), await countUsage(tx, seen.space))
    return { subscriptions: await Promise.all(spaces.map(toJson)) }
  })

  route(api, contract.createCheckout, async ({ tx, user, body, deps: { config }, now, audit }) => {
    const spaces = await listBillingAccounts(tx, user.id)
    const seen = spaces.find(({ space }) => space.publicId === body.organization_id) ?? notFound()
    if (seen.locked) refuseWithoutFactor(seen.space.name)
    if (!seen.manageable)
      refuse(403, 'forbidden', {
        requiredPermission: 'organization:manage_billing',
        denied: { place: { auditChainId: seen.space.id, project: null }, target: target(seen.space) },
      })
    if (body.price_id !== undefined && body.price_id !== priceOf(config))
      refuseField('price_id', 'unknown', 'This is not a price of this environment')
    const { space } = seen
    if (space.plan === 'production')
      refuse(409, 'conflict', { message: 'The production plan is already active', about: { plan: space.plan } })
    audit({ target: target(space), ...(space.kind === 'organization' && { organizationId: space.id }) })
    const reference = referenceOf(space)
    const back = (path: string) => `${config.urls.console}${path}`
    const [successUrl, cancelUrl] = [back(body.success_path), back(body.cancel_path)]
    const email = space.kind === 'user' ? user.email : null
    const earlier = (await listSubscriptions(tx, space)).length
    const url = await checkoutAt(config, { reference, email, successUrl, cancelUrl, earlier, now })
    if (url !== null) return { url }
    if (!hasStandIn(config)) return refuse(503, 'unavailable', { message: 'Subscriptions are not available on this server' })
    return { url: `${config.urls['sign-in']}/billing?${new URLSearchParams({ space: reference, back: body.success_path })}` }
  })

  route(api, contract.receiveBillingEvent, async ({ tx, raw, deps, request, now, audit, skipAudit, afterCommit }) => {
    const { config, log } = deps
    const secret = await webhookSecret(tx, config)
    if (secret === null) return refuse(503, 'unavailable', { message: 'Billing events are not accepted on this server' })
    const header = request.headers['stripe-signature']
    const bytes = Buffer.isBuffer(raw) ? raw : Buffer.alloc(0)
    if (!isSigned({ bytes, header: typeof header === 'string' ? header : undefined, secret, now }))
      refuse(400, 'bad_signature', { message: 'The signature of the event is missing, invalid or too old' })
    const body = validate(readSigned(bytes), contract.BillingEvent)
    const at = new Date(body.created * 1000)
    const event = { id: body.id, type: body.type, happenedAt: at, receivedAt: now }
    const done = (await insertBillingEvent(tx, event))
      ? await apply(tx, { id: body.id, type: body.type, object: body.data.object, at, now, price: priceOf(config) })
      : { outcome: 'repeated' as const }
    if ('unknownAccount' in done)
      log.error(
        { ...done.unknownAccount, event: body.id, type: body.type },
        'a subscription is paid for an account that does not exist: cancel and refund it at the billing provider',
      )
    if (done.outcome !== 'applied') {
      skipAudit()
      return { outcome: done.outcome }
    }
    const { space, before, after } = done
    for (const send of await noticeOfPlan(tx, deps, space, { before, after })) afterCommit(send)
    audit({
      target: target(space),
      changes: changesOf(before, after, [
        'plan',
        'state',
        'priceId',
        'quantity',
        'cancelAtPeriodEnd',
        'currentPeriodEnd',
        'invoices',
      ]),
      reason: body.type,
      system: 'billing',
      ...(space.kind === 'user' ? { userId: space.id } : { organizationId: space.id }),
    })
    return { outcome: 'applied' as const }
  })
}
