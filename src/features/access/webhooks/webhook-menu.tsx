import { useMutation } from '@tanstack/react-query'
import { deliveryDays, type Webhook } from '../../../../contract/accounts/webhooks'
import { changeWebhookMutation, type WebhookAction } from '../../../api/mutations/accounts/webhooks'
import { fetchPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'
import { notify } from '../../../system/failure/notify'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { useSystem } from '../../../system/system'
import { receiverOf } from './webhook-display'

const done: Record<WebhookAction, string> = {
  test: 'A test is sent. Its result appears under Deliveries.',
  disable: 'The webhook is disabled',
  enable: 'The webhook is enabled',
  delete: 'The webhook was deleted',
}

const questions = {
  disable: {
    title: 'Disable this webhook?',
    text: 'Nothing is sent to it until it is enabled again. Waiting deliveries are cancelled, and it does not get the events of that time later.',
    accept: 'Disable',
    decline: 'Cancel',
  },
  delete: {
    title: 'Delete this webhook?',
    text: `Nothing is sent to it any more, and its deliveries of the last ${deliveryDays} days are deleted with it. This cannot be undone.`,
    accept: 'Delete',
    decline: 'Cancel',
    danger: true,
  },
}

type Entry = WebhookAction | 'edit' | 'rotate'
type Props = {
  webhook: Webhook
  refused: string | undefined
  onDialog: (dialog: 'edit' | 'rotate') => void
  onDeleted: () => void
}

/** The actions of one webhook. */
export const WebhookMenu = ({ webhook, refused, onDialog, onDeleted }: Props) => {
  const { api, modals } = useSystem()
  const { mutateAsync, isPending } = useMutation(changeWebhookMutation(api, webhook))
  const isDisabled = webhook.state === 'disabled'
  const act = async (action: WebhookAction) => {
    try {
      if (action === 'disable' || action === 'delete') {
        const { confirm } = await fetchPart(() => import('../../../system/modals/confirm'))
        if (!(await confirm(modals, questions[action]))) return
      }
      await mutateAsync(action)
      if (action === 'delete') onDeleted()
      void notify({ kind: 'success', text: done[action] })
    } catch (error) {
      notifyFailed(error)
    }
  }
  return (
    <MoreMenu<Entry>
      small
      label={`Actions of ${receiverOf(webhook)}`}
      entries={[
        ...(isDisabled ? [{ value: 'enable' as const, label: 'Enable' }] : [{ value: 'test' as const, label: 'Send a test' }]),
        { value: 'edit', label: 'Edit…' },
        { value: 'rotate', label: 'Rotate secret…' },
        ...(isDisabled ? [] : [{ value: 'disable' as const, label: 'Disable…' }]),
        { value: 'delete', label: 'Delete…', danger: true },
      ]}
      onChoose={(value) => (value === 'edit' || value === 'rotate' ? onDialog(value) : void act(value))}
      refused={refused}
      disabled={isPending}
    />
  )
}
