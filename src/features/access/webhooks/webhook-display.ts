import type { Webhook, WebhookDelivery } from '../../../../contract/accounts/webhooks'
import type { StatusDisplay } from '../../../lib/status-display'

export const webhookDisplay: Record<Webhook['state'], StatusDisplay> = {
  active: { shape: 'success', word: 'Active' },
  failing: { shape: 'warning', word: 'Failing' },
  disabled: { shape: 'none', word: 'Disabled' },
}

export const deliveryDisplay: Record<WebhookDelivery['state'], StatusDisplay> = {
  waiting: { shape: 'waiting', word: 'Waiting' },
  succeeded: { shape: 'success', word: 'Delivered' },
  failed: { shape: 'error', word: 'Failed' },
  cancelled: { shape: 'none', word: 'Cancelled' },
}

/** The host of the receiver: the path of a URL may contain a secret. */
export const receiverOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).host

/** What the last attempt ended with. */
export const describeAttempt = ({ last_attempt: last }: WebhookDelivery): string => {
  if (last === null) return 'Not sent yet'
  if (last.status === null) return last.error ?? 'No answer'
  return `HTTP ${last.status}${last.error === null ? '' : `, ${last.error.toLowerCase()}`}`
}
