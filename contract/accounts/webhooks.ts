import { array, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, inProject, onObject, requires } from '../core/endpoint'
import { eventTypes } from './events'
import { listOf, listQuery } from '../core/lists'
import { boundedList } from '../core/bounded'
import { boundedInteger, text } from '../core/rules'
import { entity, Id, Timestamp } from '../core/shapes'

/** Per project. */
export const maxWebhooks = 10
export const deliveryDays = 30
/** Of an answer to a delivery, in bytes. */
export const keptAnswerBytes = 2048
/** The waiting time before each retry of a delivery, as the Standard Webhooks specification recommends. */
export const retryDelaysS = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400] as const
/** A webhook with nothing but failures for so long is disabled. */
export const disableAfterDays = 5
/** The longest time for which a replaced secret still signs: a week. */
export const maxSecretOverlapS = 604_800

export const Webhook = type({
  ...entity,
  project_id: Id,
  url: string(),
  types: array(enums(eventTypes)),
  /** `failing`: a delivery failed at its last attempt, and none has succeeded since. */
  state: enums(['active', 'failing', 'disabled']),
  /** Why it is failing, or was disabled without a person's wish. */
  state_reason: nullable(string()),
  maker: nullable(type({ id: Id, name: string() })),
  /** The first characters of the secret. */
  secret_prefix: string(),
  /** Until then deliveries have a second signature, by the secret before. */
  previous_secret_until: nullable(Timestamp),
  last_delivery_at: nullable(Timestamp),
  /** Since when nothing but failures; null after a success. */
  failing_since: nullable(Timestamp),
})
export type Webhook = Infer<typeof Webhook>

const isReceiver = (value: string) => {
  const url = URL.canParse(value) ? new URL(value) : undefined
  return url !== undefined && ['https:', 'http:'].includes(url.protocol) && url.hostname !== '' ? url : undefined
}

const Url = refine(text('URL', { max: 2048 }), 'url', (value) => {
  const url = isReceiver(value)
  if (!url) return 'Enter a URL such as https://hooks.example.com/teasel'
  if (url.username !== '' || url.password !== '') return 'The URL must not contain a user name or password'
  return url.hash === '' || 'The URL must not contain a fragment'
})

const Types = refine(
  boundedList(enums(eventTypes), eventTypes.length),
  'required',
  (value) => value.length > 0 || 'Choose at least one event',
)

export const NewWebhook = object({ url: Url, types: Types })
export type NewWebhook = Infer<typeof NewWebhook>
export const WebhookChange = object({ url: optional(Url), types: optional(Types) })
export const RotateWebhookSecret = object({ overlap_s: boundedInteger('Overlap', 0, maxSecretOverlapS) })

const WebhookWithSecret = type({ ...Webhook.schema, secret: string() })

export const WebhookDelivery = type({
  id: Id,
  webhook_id: Id,
  /** The `webhook-id` of the request: the same for each attempt at one event. */
  event_id: Id,
  type: string(),
  created_at: Timestamp,
  /** `waiting`: another attempt follows. `cancelled`: the webhook was disabled before. */
  state: enums(['waiting', 'succeeded', 'failed', 'cancelled']),
  attempts: integer(),
  next_attempt_at: nullable(Timestamp),
  /** The body of the request. */
  request: type({ url: string(), body: string() }),
  last_attempt: nullable(
    type({
      at: Timestamp,
      /** Null without an answer. */
      status: nullable(integer()),
      /** Why there was no answer, or none that counts. */
      error: nullable(string()),
      duration_ms: integer(),
      /** The first 2 KiB of the answer. */
      answer: nullable(string()),
    }),
  ),
})
export type WebhookDelivery = Infer<typeof WebhookDelivery>

const onWebhook = onObject('webhook', 'webhookId')
const ofProject = requires(inProject, 'project:update')
const change = requires(onWebhook, 'project:update')
// A leaked token must not send events of the project elsewhere.
const tokens = false

export const webhooks = endpoint({
  method: 'GET',
  path: '/projects/:projectId/webhooks',
  summary: 'List the webhooks of a project, without their secrets.',
  needs: ofProject,
  audit: 'none',
  rate: 'read',
  answer: type({ webhooks: array(Webhook) }),
})
export const createWebhook = endpoint({
  method: 'POST',
  path: '/projects/:projectId/webhooks',
  summary: 'Create a webhook. Only this answer contains its secret.',
  needs: ofProject,
  tokens,
  audit: 'webhook.create',
  rate: 'write',
  body: NewWebhook,
  answer: WebhookWithSecret,
  status: 201,
})
export const updateWebhook = endpoint({
  method: 'PATCH',
  path: '/webhooks/:webhookId',
  summary: 'Change the URL and the events of a webhook. Its waiting deliveries are sent to the new URL.',
  needs: change,
  tokens,
  audit: 'webhook.update',
  rate: 'write',
  conditional: true,
  body: WebhookChange,
  answer: Webhook,
})
export const deleteWebhook = endpoint({
  method: 'DELETE',
  path: '/webhooks/:webhookId',
  summary: 'Delete a webhook with its deliveries. Nothing more is sent.',
  needs: change,
  tokens,
  audit: 'webhook.delete',
  rate: 'write',
  answer: 'none',
})
export const disableWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/:webhookId/disable',
  summary: 'Disable a webhook. Its waiting deliveries are cancelled, and later events are not sent.',
  needs: change,
  tokens,
  audit: 'webhook.disable',
  rate: 'write',
  answer: Webhook,
})
export const enableWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/:webhookId/enable',
  summary: 'Enable a webhook. It gets the events from then on.',
  needs: change,
  tokens,
  audit: 'webhook.enable',
  rate: 'write',
  answer: Webhook,
})
export const rotateWebhookSecret = endpoint({
  method: 'POST',
  path: '/webhooks/:webhookId/rotate',
  summary: 'Replace the secret of a webhook. Both secrets sign during the overlap.',
  needs: change,
  tokens,
  audit: 'webhook.rotate',
  rate: 'write',
  body: RotateWebhookSecret,
  answer: WebhookWithSecret,
})
export const testWebhook = endpoint({
  method: 'POST',
  path: '/webhooks/:webhookId/test',
  summary: 'Send a test to a webhook, once: an event of the type webhook.test.',
  needs: change,
  tokens,
  audit: 'webhook.test',
  rate: 'write',
  answer: WebhookDelivery,
  status: 201,
})
export const webhookDeliveries = endpoint({
  method: 'GET',
  path: '/webhooks/:webhookId/deliveries',
  summary: 'List the deliveries of a webhook of the last 30 days, newest first.',
  // Deliveries contain what events say about devices.
  needs: requires(onWebhook, 'project:update', 'device:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('deliveries', WebhookDelivery),
})
export const resendDelivery = endpoint({
  method: 'POST',
  path: '/webhook_deliveries/:webhookDeliveryId/resend',
  summary: 'Send a delivery again, as a new delivery of the same event.',
  needs: requires(onObject('webhook_delivery', 'webhookDeliveryId'), 'project:update'),
  tokens,
  audit: 'webhook.resend',
  rate: 'write',
  answer: WebhookDelivery,
  status: 201,
})
