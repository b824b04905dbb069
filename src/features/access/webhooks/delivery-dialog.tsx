import { css } from 'styled-system/css'
import type { Webhook, WebhookDelivery } from '../../../../contract/accounts/webhooks'
import { resendDeliveryMutation } from '../../../api/mutations/accounts/webhooks'
import { pluralize } from '../../../lib/pluralize'
import { useRefusal } from '../../../system/scope/grants'
import { useHeldMutation } from '../../../system/form/held-mutation'
import { useModal } from '../../../system/modals/use-modal'
import { notify } from '../../../system/failure/notify'
import { notifyHeldFailed } from '../../../system/failure/notify-failed'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Code } from '../../../ui/text/code'
import * as Dialog from '../../../ui/overlay/dialog'
import { Pairs } from '../../../ui/layout/facts'
import { Callout } from '../../../ui/layout/notice'
import { DateTime } from '../../../ui/text/time'
import { deliveryDisplay, describeAttempt } from './webhook-display'

const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const breaks = css({ overflowWrap: 'anywhere' })
const caption = css({ color: 'muted', textStyle: 'small', mb: '4' })

type Props = { webhook: Webhook; delivery: WebhookDelivery; onClose: () => void }

/** The request of a delivery and the answer to its last attempt. */
export const DeliveryDialog = ({ webhook, delivery, onClose }: Props) => {
  const { api } = useSystem()
  const { close, root } = useModal('webhook_delivery', onClose)
  const refused = useRefusal('project:update')
  const { send, isPending } = useHeldMutation(resendDeliveryMutation(api))
  const { last_attempt: last, next_attempt_at: next, request } = delivery
  const isDisabled = webhook.state === 'disabled'
  const resend = async () => {
    try {
      await send({ webhookDeliveryId: delivery.id })
      void notify({ kind: 'success', text: 'The event is sent again' })
      close()
    } catch (error) {
      notifyHeldFailed(error)
    }
  }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={<code>{delivery.type}</code>}
        description={deliveryDisplay[delivery.state].word}
        footer={
          <>
            <Button onClick={close}>Close</Button>
            <Button
              variant="primary"
              refused={refused ?? (isDisabled ? 'The webhook is disabled: enable it first.' : undefined)}
              busy={isPending}
              busyLabel="Sending..."
              onClick={() => void resend()}
            >
              Send again
            </Button>
          </>
        }
      >
        <div className={stack}>
          <Pairs
            facts={[
              { label: 'webhook-id', value: <code className={breaks}>{delivery.event_id}</code> },
              { label: 'URL', value: <span className={breaks}>{request.url}</span> },
              { label: 'Attempts', value: pluralize(delivery.attempts, 'attempt') },
              { label: 'Last attempt', value: <DateTime value={last?.at ?? null} never="none" /> },
              { label: 'Result', value: describeAttempt(delivery) },
              { label: 'Duration', value: last === null ? '–' : `${last.duration_ms} ms` },
              { label: 'Next attempt', value: <DateTime value={next} never="none" /> },
            ]}
          />
          <div>
            <p className={caption}>Request</p>
            <Code label="Request" json code={JSON.stringify(JSON.parse(request.body), null, 2)} copyValue={request.body} />
          </div>
          <div>
            <p className={caption}>Answer, its first 2 KiB</p>
            {last?.answer ? (
              <Code label="Answer" code={last.answer} />
            ) : (
              <Callout kind="neutral">{last?.status ? 'The answer was empty.' : 'There was no answer.'}</Callout>
            )}
          </div>
        </div>
      </Dialog.Window>
    </Dialog.Root>
  )
}
