import type { Config } from '../../core/config'
import type { ReceiverRules } from './addresses'

/** The type of the event that a test sends. */
export const testType = 'webhook.test'

/** The URL may contain a secret of the receiver: only its host is named elsewhere. */
export const webhookTarget = ({ id, url }: { id: string; url: string }) => ({ kind: 'webhook', id, name: new URL(url).host })

export const receiverRules = ({ environment, webhookAllow }: Config): ReceiverRules => ({
  networks: webhookAllow,
  loopback: environment === 'local',
})
