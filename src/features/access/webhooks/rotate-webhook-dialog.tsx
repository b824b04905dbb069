import { useMutation } from '@tanstack/react-query'
import { RotateWebhookSecret, type Webhook } from '../../../../contract/accounts/webhooks'
import { rotateWebhookSecretMutation } from '../../../api/mutations/accounts/webhooks'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { DateTime } from '../../../ui/text/time'
import { RotationForm } from '../secrets/rotation-form'
import { ShownSecret } from '../secrets/shown-secret'
import { receiverOf } from './webhook-display'

/** Replaces the secret of a webhook by a new one, which is shown once. */
export const RotateWebhookDialog = ({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('rotate_webhook_secret', onClose)
  const rotation = rotateWebhookSecretMutation(api, webhook.project_id, webhook.id)
  const { data: made, mutateAsync } = useMutation({ ...rotation, gcTime: 0 })
  return (
    <Dialog.Root {...root} {...(made && Dialog.shownOnce)}>
      <Dialog.Window
        wide
        title={made ? 'New secret' : `Rotate the secret of ${receiverOf(webhook)}`}
        description={
          !made ? (
            'Creates a new secret. While both are valid, each request has a signature by each of them.'
          ) : made.previous_secret_until === null ? (
            'The former secret does not sign any more.'
          ) : (
            <>
              The former secret also signs until <DateTime value={made.previous_secret_until} />.
            </>
          )
        }
        footer={made && <Button onClick={close}>Close</Button>}
      >
        {made ? (
          <ShownSecret secret={made.secret} />
        ) : (
          <RotationForm
            schema={RotateWebhookSecret}
            label="The former secret also signs for"
            hint="Long enough to give the new secret to the receiver. A secret before the former one ends now."
            rotate={(body, extra) => mutateAsync({ body, ...extra })}
            onCancel={cancel}
          />
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
