import { Stripe } from 'stripe'
import { billingPairs } from '../../../contract/billing'
import type { Config } from '../../core/config'
import type { Tx } from '../../core/database/tx'
import { secretOf } from '../../core/tokens/secrets'

/** product.md 4.14: the stand-in of the provider, on a machine that talks to itself alone, in the local environment. */
export const hasStandIn = ({ loopbackOnly }: Pick<Config, 'loopbackOnly'>): boolean => loopbackOnly

const billingOf = (environment: Config['environment']) => billingPairs[environment === 'production' ? 'live' : 'test']

/** §9: the pair of the environment, unless the configuration names another. */
export const priceOf = ({ environment, billing }: Config): string => billing.price ?? billingOf(environment).price
export const portalOf = (config: Config): string =>
  config.billing.portal ?? (hasStandIn(config) ? `${config.urls['sign-in']}/billing` : billingOf(config.environment).portal)

/** What signs the events: configured, or for the stand-in one that the installation made. Null: no events are taken. */
export const webhookSecret = async (tx: Tx, config: Config): Promise<string | null> => {
  if (config.stripeWebhookSecret !== undefined) return config.stripeWebhookSecret
  return hasStandIn(config) ? `whsec_${(await secretOf(tx, 'billing')).toString('base64url')}` : null
}

const toleranceS = 300

type Delivery = { bytes: Uint8Array; header: string | undefined; secret: string; now: Date }

/** Whether these very bytes were signed, and not long ago. */
export const isSigned = ({ bytes, header = '', secret, now }: Delivery): boolean => {
  try {
    Stripe.webhooks.constructEvent(bytes, header, secret, toleranceS, undefined, now.getTime())
    return true
  } catch {
    return false
  }
}

type Checkout = { reference: string; email: string; successUrl: string; cancelUrl: string }

/** The provider's own page for one subscription. Null where nothing is configured to ask it. */
export const checkoutAt = async (
  config: Config,
  { reference, email, successUrl, cancelUrl }: Checkout,
): Promise<string | null> => {
  if (config.billing.secretKey === undefined) return null
  const stripe = new Stripe(config.billing.secretKey, { maxNetworkRetries: 1, timeout: 10_000, telemetry: false })
  const made = await stripe.checkout.sessions.create({
    mode: 'subscription',
    line_items: [{ price: priceOf(config), quantity: 1 }],
    client_reference_id: reference,
    customer_email: email,
    subscription_data: { metadata: { space: reference } },
    success_url: successUrl,
    cancel_url: cancelUrl,
  })
  return made.url
}
