import type { Webhook, WebhookDelivery } from '../../../contract/accounts/webhooks'
import { entityToJson, formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import type { DeliveryRow } from './deliveries.repository'
import type { WebhookRow, WebhookWithMaker } from './repository'

export const webhookToJson = ({ webhook: row, maker }: WebhookWithMaker, now: Date): Webhook => ({
  ...entityToJson(row),
  project_id: row.projectId,
  url: row.url,
  types: row.types,
  state: row.state,
  state_reason: row.stateReason,
  maker: maker && { id: maker.id, name: maker.name },
  secret_prefix: row.secretPrefix,
  previous_secret_until: row.previousUntil && row.previousUntil > now ? formatTimestamp(row.previousUntil) : null,
  last_delivery_at: formatTimestampOrNull(row.lastDeliveryAt),
  failing_since: formatTimestampOrNull(row.failingSince),
})

/** The body of the request, the same at each attempt. */
export const bodyOf = ({ type, at, data }: Pick<DeliveryRow, 'type' | 'at' | 'data'>): string =>
  JSON.stringify({ type, timestamp: formatTimestamp(at), data })

export const deliveryToJson = (row: DeliveryRow, webhook: Pick<WebhookRow, 'url' | 'state'>): WebhookDelivery => {
  // A job cancels those of a disabled webhook.
  const isCancelled = row.state === 'waiting' && webhook.state === 'disabled'
  return {
    id: row.id,
    webhook_id: row.webhookId,
    event_id: row.eventId,
    type: row.type,
    created_at: formatTimestamp(row.createdAt),
    state: isCancelled ? 'cancelled' : row.state,
    attempts: row.attempts,
    next_attempt_at: formatTimestampOrNull(isCancelled ? null : row.nextTryAt),
    request: { url: row.url ?? webhook.url, body: bodyOf(row) },
    last_attempt:
      row.lastTryAt === null || row.durationMs === null
        ? null
        : {
            at: formatTimestamp(row.lastTryAt),
            status: row.status,
            error: row.error,
            duration_ms: row.durationMs,
            answer: row.answer,
          },
  }
}
