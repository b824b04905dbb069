import type { Webhook } from '../../../../contract/accounts/webhooks'
import { Callout } from '../../../ui/layout/notice'
import { DateTime } from '../../../ui/text/time'

/** What is wrong with a webhook, and what to do. */
export const WebhookNotice = ({ webhook }: { webhook: Webhook }) => {
  const { state, state_reason: reason, failing_since: since, previous_secret_until: overlap } = webhook
  if (state === 'disabled')
    return (
      <Callout kind="warning">
        {reason === null ? 'This webhook is disabled.' : `This webhook was disabled: ${reason.toLowerCase()}.`} Events are not
        sent to it. Enable it when the receiver is ready; it gets the events from then on.
      </Callout>
    )
  if (state === 'failing' || since !== null)
    return (
      <Callout kind="warning">
        {state === 'failing' && reason !== null && `${reason}. `}Nothing but failures since <DateTime value={since} />. The
        details of a delivery say why. After five days of failures the webhook is disabled. Repair the receiver, then send the
        failed deliveries again.
      </Callout>
    )
  if (overlap !== null)
    return (
      <Callout kind="info">
        Two secrets sign until <DateTime value={overlap} />: give the new one to the receiver before.
      </Callout>
    )
  return null
}
