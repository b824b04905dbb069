import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { EventType } from '../../../../contract/accounts/events'
import { NewWebhook } from '../../../../contract/accounts/webhooks'
import { createWebhookMutation } from '../../../api/mutations/accounts/webhooks'
import { pluralize } from '../../../lib/pluralize'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import * as Dialog from '../../../ui/overlay/dialog'
import { ShownSecret } from '../secrets/shown-secret'
import { receiverOf } from './webhook-display'
import { WebhookFields } from './webhook-fields'

// What somebody has to act on.
const usual: readonly EventType[] = ['rollout.approval_requested', 'rollout.waiting_for_user', 'rollout.halted', 'update.failed']

/** Creates a webhook, and shows its secret once. */
export const AddWebhookDialog = ({ projectId, onClose }: { projectId: string; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('add_webhook', onClose)
  const [types, setTypes] = useState<readonly EventType[]>(usual)
  const { data: made, mutateAsync } = useMutation({ ...createWebhookMutation(api, projectId), gcTime: 0 })
  const form = useForm({
    schema: NewWebhook,
    read: (data: FormData): unknown => ({ url: data.get('url'), types }),
    save: (body, extra) => mutateAsync({ body, ...extra }),
    onSaved: () => {},
  })
  return (
    <Dialog.Root {...root} {...(made && Dialog.shownOnce)}>
      <Dialog.Window
        wide
        title={made ? `Webhook to ${receiverOf(made)}` : 'Add a webhook'}
        description={
          made
            ? `Gets ${pluralize(made.types.length, 'kind')} of events from now on. Send a test to see that the receiver verifies it.`
            : 'Each event is sent as a signed POST request. An event that was not accepted is sent again for three days.'
        }
        footer={made && <Button onClick={close}>Close</Button>}
      >
        {made ? (
          <ShownSecret secret={made.secret} />
        ) : (
          <BoundForm form={form} dense inDialog sticky onCancel={cancel} submitLabel="Add webhook" submittingLabel="Adding...">
            <WebhookFields url={form.field('url')} error={form.field('types').error} types={types} onTypes={setTypes} />
          </BoundForm>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
