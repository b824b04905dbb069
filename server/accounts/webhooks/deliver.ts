import { setTimeout as pause } from 'node:timers/promises'
import { product } from '../../../contract/core/limits'
import { disableAfterDays, retryDelaysS } from '../../../contract/accounts/webhooks'
import { daysAfter, secondsAfter } from '../../core/days'
import type { Deps } from '../../core/deps'
import { unseal } from '../../core/tokens/seal'
import { cancelDeliveries, type Claimed, claimDeliveries, type DeliveryRow, updateDelivery } from './deliveries.repository'
import { disableFailing } from './disable'
import { listDisabledWithDeliveries, lockWebhook, updateWebhookHealth, type WebhookRow } from './repository'
import { deliveryLimitMs, sendDelivery } from './send'
import { signDelivery } from './sign'
import { bodyOf } from './to-json'
import { receiverRules, testType } from './webhook'

const atOnce = { all: 64, ofWebhook: 8, ofFailing: 2 } as const
// An attempt takes at most its limit; then another process may repeat it.
const leaseS = deliveryLimitMs / 1000 + 5
/** A run ends after this time, so that one process does not send alone for good. */
const runMs = 5000
/** How often a run that waits for slow receivers looks for other deliveries. */
const lookMs = 250
// The time of the last delivery is shown to people only.
const shownEveryS = 60

/** The attempts of this process, with their webhooks. They may outlast the run that began them. */
const running = new Map<Promise<void>, string>()

const secretsOf = async ({ db, config }: Deps, webhook: WebhookRow, now: Date): Promise<string[]> => {
  const { id, secret, previousSecret, previousUntil } = webhook
  const sealed = previousSecret !== null && previousUntil !== null && previousUntil > now ? [secret, previousSecret] : [secret]
  return Promise.all(sealed.map((one) => unseal(db, { config }, id, one)))
}

type Result = Partial<DeliveryRow>

const recordSuccess = async ({ db }: Deps, { delivery, webhook }: Claimed, result: Result, now: Date) => {
  await updateDelivery(db, delivery.id, { ...result, state: 'succeeded', nextTryAt: null })
  const { failingSince, lastDeliveryAt, state } = webhook
  const isShown = lastDeliveryAt !== null && lastDeliveryAt > secondsAfter(now, -shownEveryS)
  if (failingSince === null && state === 'active' && isShown) return
  await db.transaction(async (tx) => {
    const known = await lockWebhook(tx, webhook.id)
    const healthy = known?.state === 'failing' ? ({ state: 'active', stateReason: null } as const) : {}
    await updateWebhookHealth(tx, webhook.id, { ...healthy, failingSince: null, lastDeliveryAt: now })
  })
}

const recordFailure = async (deps: Deps, { delivery, webhook }: Claimed, result: Result, now: Date) => {
  const isTest = delivery.type === testType
  const delayS = isTest ? undefined : retryDelaysS[delivery.attempts]
  const next = delayS === undefined ? ({ state: 'failed', nextTryAt: null } as const) : { nextTryAt: secondsAfter(now, delayS) }
  if (!(await updateDelivery(deps.db, delivery.id, { ...result, ...next })) || isTest) return
  const since = await deps.db.transaction(async (tx) => {
    const known = await lockWebhook(tx, webhook.id)
    // It says nothing about another receiver that the webhook got during the attempt.
    if (!known || known.url !== webhook.url) return now
    const isFailing = delayS === undefined && known.state === 'active'
    const first = known.failingSince ?? now
    const failing = { state: 'failing', stateReason: `A delivery failed ${retryDelaysS.length + 1} times` } as const
    if (isFailing || known.failingSince === null)
      await updateWebhookHealth(tx, webhook.id, { failingSince: first, ...(isFailing && failing) })
    return first
  })
  if (daysAfter(since, disableAfterDays) > now) return
  await disableFailing(deps, webhook.id, `Nothing but failures for ${disableAfterDays} days`, now)
}

type Outgoing = { url: string; delivery: DeliveryRow; secrets: readonly string[] }

const sendSigned = ({ config }: Deps, { url, delivery, secrets }: Outgoing, now: Date) => {
  const body = bodyOf(delivery)
  const at = Math.floor(now.getTime() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': `${product.name}-Webhooks`,
    'webhook-id': delivery.eventId,
    'webhook-timestamp': String(at),
    'webhook-signature': signDelivery(secrets, delivery.eventId, at, body),
  }
  return sendDelivery({ url, headers, body }, { rules: receiverRules(config) })
}

/** Fails if the key of TEASEL_SECRET_KEY is another one by now: rotation gives the webhook a secret that can be read. */
const unsigned = (error: unknown, { log }: Deps, { webhook }: Claimed) => {
  log.error({ err: error, webhook: webhook.id }, 'the secret of a webhook could not be decrypted')
  const failed = { status: null, error: 'The secret cannot be decrypted: rotate it', durationMs: 0, answer: null }
  return { ok: false, ...failed }
}

const attempt = async (deps: Deps, claimed: Claimed): Promise<void> => {
  const { clock, log } = deps
  const { delivery, webhook } = claimed
  const { url } = webhook
  try {
    const started = clock()
    const { ok, ...sent } = await secretsOf(deps, webhook, started).then(
      (secrets) => sendSigned(deps, { url, delivery, secrets }, started),
      (error: unknown) => unsigned(error, deps, claimed),
    )
    const result = { ...sent, url, lastTryAt: started, attempts: delivery.attempts + 1 }
    await (ok ? recordSuccess(deps, claimed, result, clock()) : recordFailure(deps, claimed, result, clock()))
  } catch (error) {
    // It is attempted again after its lease.
    log.error({ err: error, webhook: webhook.id }, 'a delivery of a webhook was not attempted or not recorded')
  }
}

const countRunning = () => {
  const busy = new Map<string, number>()
  for (const id of running.values()) busy.set(id, (busy.get(id) ?? 0) + 1)
  return busy
}

/** Sends the deliveries that are due: each at least once, in no certain order. Slow attempts go on after the run. */
export const deliverEvents = async (deps: Deps): Promise<void> => {
  for (const id of await listDisabledWithDeliveries(deps.db)) await cancelDeliveries(deps.db, id)
  const ends = performance.now() + runMs
  do {
    const all = atOnce.all - running.size
    const busy = countRunning()
    const found = all > 0 ? await claimDeliveries(deps.db, deps.clock(), { ...atOnce, all, busy }, leaseS) : []
    for (const claimed of found) {
      const task = attempt(deps, claimed).finally(() => running.delete(task))
      running.set(task, claimed.webhook.id)
    }
    if (running.size === 0) return
    await Promise.race([...running.keys(), pause(lookMs, undefined, { ref: false })])
  } while (performance.now() < ends)
}
