import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { EventType } from '../../../../contract/accounts/events'
import { NewWebhook, type Webhook } from '../../../../contract/accounts/webhooks'
import { updateWebhookMutation } from '../../../api/mutations/accounts/webhooks'
import { BoundForm } from '../../../system/form/bound-form'
import { ConflictNotice } from '../../../system/form/conflict-notice'
import { type EditConflict, useEditConflict } from '../../../system/form/edit-conflict'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import * as Dialog from '../../../ui/overlay/dialog'
import { receiverOf } from './webhook-display'
import { WebhookFields } from './webhook-fields'

const fieldsOf = ({ url, types }: Webhook) => ({ url, types })
const labels = { url: 'URL', types: 'Events' }

type FormProps = { threeWay: EditConflict<Webhook, ReturnType<typeof fieldsOf>>; close: () => void; cancel: () => void }

const EditForm = ({ threeWay, close, cancel }: FormProps) => {
  const { base, conflict } = threeWay
  const [types, setTypes] = useState<readonly EventType[]>(base.types)
  const form = useForm({
    schema: NewWebhook,
    read: (data: FormData): unknown => ({ url: data.get('url'), types }),
    save: (body) => threeWay.save(body),
    onSaved: close,
  })
  return (
    <BoundForm
      form={form}
      dense
      inDialog
      sticky
      onCancel={cancel}
      conflict={
        conflict && (
          <ConflictNotice conflict={conflict} labels={labels} onKeepMine={threeWay.keepMine} onTakeTheirs={threeWay.takeTheirs} />
        )
      }
    >
      <WebhookFields
        url={{ ...form.field('url'), defaultValue: base.url }}
        error={form.field('types').error}
        types={types}
        onTypes={setTypes}
      />
    </BoundForm>
  )
}

/** Changes where a webhook sends, and what. */
export const EditWebhookDialog = ({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('edit_webhook', onClose)
  const { mutateAsync } = useMutation(updateWebhookMutation(api, webhook.project_id))
  const threeWay = useEditConflict(webhook, fieldsOf, (object, body) => mutateAsync({ webhook: object, body }))
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        wide
        title={`Edit the webhook to ${receiverOf(webhook)}`}
        description="Deliveries that are waiting are sent to the new URL. The secret stays."
      >
        <EditForm key={threeWay.base.revision} threeWay={threeWay} close={close} cancel={cancel} />
      </Dialog.Window>
    </Dialog.Root>
  )
}
