import * as contract from '../../../contract/accounts/webhooks'
import type { Config } from '../../core/config'
import { newRow } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import type { Deps } from '../../core/deps'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { nextId } from '../../core/ids'
import { seal, unseal } from '../../core/tokens/seal'
import { findReceiver } from './addresses'
import { cancelDeliveries, type DeliveryRow, findDelivery, insertDelivery, listDeliveries } from './deliveries.repository'
import {
  countWebhooksForInsert,
  deleteWebhook,
  getWebhook,
  insertWebhook,
  listWebhooks,
  lockWebhook,
  updateWebhook,
  type WebhookRow,
} from './repository'
import { createSecret, shownPrefix } from './sign'
import { deliveryToJson, webhookToJson } from './to-json'
import { receiverRules, testType, webhookTarget } from './webhook'

/** Asked before the transaction. A name without an address is accepted: each delivery asks again. */
const requireReceiver = async (config: Config, text: string | undefined): Promise<void> => {
  if (text === undefined) return
  const url = new URL(text)
  const found = await findReceiver(url, receiverRules(config))
  if (found.ok) return
  if (found.reason === 'private_address')
    refuseField('url', 'private_address', 'This URL leads to a private address. Events are sent to public addresses only')
  if (url.protocol !== 'https:') refuseField('url', 'insecure', 'Use https, so that nobody reads the events on their way')
}

const requireEnabled = ({ state }: WebhookRow): void => {
  if (state === 'disabled') refuse(409, 'conflict', { message: 'The webhook is disabled: enable it first', about: { state } })
}

const lock = async (tx: Tx, id: string): Promise<WebhookRow> => (await lockWebhook(tx, id)) ?? notFound()

const isReadable = (tx: Tx, deps: Pick<Deps, 'config'>, { id, secret }: WebhookRow): Promise<boolean> =>
  unseal(tx, deps, id, secret).then(
    () => true,
    () => false,
  )

const healthy = { state: 'active', stateReason: null, failingSince: null } as const

type NewDelivery = Pick<DeliveryRow, 'projectId' | 'webhookId' | 'eventId' | 'type' | 'at' | 'data'>

const toSendNow = (facts: NewDelivery, now: Date) => ({
  ...facts,
  id: nextId(now),
  createdAt: now,
  nextTryAt: now,
  state: 'waiting' as const,
})

const changes = (api: Api) => {
  routeWithPreparation(
    api,
    contract.createWebhook,
    ({ deps, body }) => requireReceiver(deps.config, body.url),
    async ({ tx, deps, project, user, body, now, audit }) => {
      const used = await countWebhooksForInsert(tx, project.id)
      const { maxWebhooks: limit } = contract
      if (used >= limit)
        refuse(409, 'too_many', { message: `A project can have at most ${limit} webhooks`, about: { limit, used } })
      const base = newRow(now)
      const secret = createSecret()
      const row: WebhookRow = {
        ...base,
        ...healthy,
        projectId: project.id,
        makerId: user.id,
        url: body.url,
        types: [...new Set(body.types)],
        secret: await seal(tx, deps, base.id, secret),
        secretPrefix: secret.slice(0, shownPrefix),
        previousSecret: null,
        previousUntil: null,
        lastDeliveryAt: null,
      }
      await insertWebhook(tx, row)
      audit({ target: webhookTarget(row) })
      return { ...webhookToJson(await getWebhook(tx, row.id), now), secret }
    },
  )

  routeWithPreparation(
    api,
    contract.updateWebhook,
    ({ deps, body }) => requireReceiver(deps.config, body.url),
    async ({ tx, params, body, now, audit, checkRevision }) => {
      const row = await lock(tx, params.webhookId)
      const before = webhookToJson(await getWebhook(tx, row.id), now)
      checkRevision(before)
      const { url, types } = body
      // What failed at the former receiver says nothing about this one.
      const isMoved = url !== undefined && url !== row.url && row.state !== 'disabled'
      const columns = { ...(url !== undefined && { url }), ...(types && { types: [...new Set(types)] }) }
      await updateWebhook(tx, row.id, { ...columns, ...(isMoved && healthy) }, now)
      const after = webhookToJson(await getWebhook(tx, row.id), now)
      // The path of the URL may contain a secret of the receiver.
      const shown = (one: contract.Webhook) => ({ url: new URL(one.url).host, types: one.types })
      audit({ target: webhookTarget(after), changes: changesOf(shown(before), shown(after), ['url', 'types']) })
      return after
    },
  )

  route(api, contract.deleteWebhook, async ({ tx, params, audit }) => {
    const row = await lock(tx, params.webhookId)
    await deleteWebhook(tx, row.id)
    audit({ target: webhookTarget(row) })
  })

  route(api, contract.disableWebhook, async ({ tx, params, now, audit, skipAudit }) => {
    const row = await lock(tx, params.webhookId)
    if (row.state === 'disabled') skipAudit()
    else {
      await updateWebhook(tx, row.id, { state: 'disabled', stateReason: null }, now)
      audit({ target: webhookTarget(row) })
    }
    return webhookToJson(await getWebhook(tx, row.id), now)
  })

  route(api, contract.enableWebhook, async ({ tx, params, now, audit, skipAudit }) => {
    const row = await lock(tx, params.webhookId)
    if (row.state !== 'disabled') skipAudit()
    else {
      // The job may not have come to them yet.
      await cancelDeliveries(tx, row.id)
      await updateWebhook(tx, row.id, healthy, now)
      audit({ target: webhookTarget(row) })
    }
    return webhookToJson(await getWebhook(tx, row.id), now)
  })

  route(api, contract.rotateWebhookSecret, async ({ tx, deps, params, body, now, audit }) => {
    const row = await lock(tx, params.webhookId)
    const secret = createSecret()
    // One that cannot be decrypted signs nothing: kept, it would keep the new one from signing too.
    const isOverlapping = body.overlap_s > 0 && (await isReadable(tx, deps, row))
    const columns = {
      secret: await seal(tx, deps, row.id, secret),
      secretPrefix: secret.slice(0, shownPrefix),
      previousSecret: isOverlapping ? row.secret : null,
      previousUntil: isOverlapping ? secondsAfter(now, body.overlap_s) : null,
    }
    await updateWebhook(tx, row.id, columns, now)
    audit({ target: webhookTarget(row) })
    return { ...webhookToJson(await getWebhook(tx, row.id), now), secret }
  })
}

const deliveries = (api: Api) => {
  route(api, contract.webhookDeliveries, async ({ tx, params, query }) => {
    const { webhook } = await getWebhook(tx, params.webhookId)
    const { rows, ...page } = await listDeliveries(tx, webhook.id, query)
    return { ...page, deliveries: rows.map((row) => deliveryToJson(row, webhook)) }
  })

  route(api, contract.testWebhook, async ({ tx, project, user, params, now, audit }) => {
    const webhook = await lock(tx, params.webhookId)
    requireEnabled(webhook)
    const { id: webhookId, projectId } = webhook
    const data = { webhook: { id: webhookId }, project: { id: project.id, name: project.name }, by: user.name }
    const facts = { projectId, webhookId, eventId: nextId(now), type: testType, at: now, data }
    const row = await insertDelivery(tx, toSendNow(facts, now))
    audit({ target: webhookTarget(webhook) })
    return deliveryToJson(row, webhook)
  })

  route(api, contract.resendDelivery, async ({ tx, params, now, audit }) => {
    const { projectId, webhookId, eventId, type, at, data } = (await findDelivery(tx, params.webhookDeliveryId)) ?? notFound()
    const webhook = await lock(tx, webhookId)
    requireEnabled(webhook)
    const row = await insertDelivery(tx, toSendNow({ projectId, webhookId, eventId, type, at, data }, now))
    audit({ target: webhookTarget(webhook) })
    return deliveryToJson(row, webhook)
  })
}

export const webhookRoutes = (api: Api): void => {
  route(api, contract.webhooks, async ({ tx, project, now }) => ({
    webhooks: (await listWebhooks(tx, project.id)).map((row) => webhookToJson(row, now)),
  }))
  changes(api)
  deliveries(api)
}
