import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Device } from '../../../contract/devices'
import type { Overview } from '../../../contract/monitor'
import { deviceActionMutation, updateDeviceMutation } from '../../api/mutations/devices'
import { deviceQuery } from '../../api/queries/devices'
import { fetchPart } from '../../system/lazy'
import { notify } from '../../system/notify'
import { notifyFailed } from '../../system/notify-failed'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'

type Item = Overview['attention'][number]
type Action = NonNullable<Item['action']>

const words: Record<Action, { label: string; busy: string; done: (name: string) => string }> = {
  accept: { label: 'Accept', busy: 'Accepting...', done: (name) => `${name} was accepted` },
  clear_quarantine: {
    label: 'Clear quarantine',
    busy: 'Clearing...',
    done: (name) => `${name} is offered the release again at its next check-in`,
  },
  resume_updates: { label: 'Resume updates', busy: 'Resuming...', done: (name) => `${name} is offered updates again` },
}

const question = () => fetchPart(() => import('../../system/clear-quarantine-question'))

/** What can be done about an entry at once. The entry leaves the list when the server no longer has a reason for it. */
export const AttentionAction = ({ item, action, refused }: { item: Item; action: Action; refused: string | undefined }) => {
  const { api, modals } = useSystem()
  const client = useQueryClient()
  const step = useMutation(deviceActionMutation(api))
  const change = useMutation(updateDeviceMutation(api))
  const { label, busy, done } = words[action]

  /** False if a person declined. */
  const act = async (device: Device): Promise<boolean> => {
    if (action === 'accept') {
      const accepted = await step.mutateAsync({ device, action: 'accept' })
      const undo = () => void step.mutateAsync({ device: accepted, action: 'disable' }).catch(notifyFailed)
      void notify({ kind: 'success', text: done(device.name), action: { label: 'Disable it', onClick: undo } })
      return true
    }
    if (action === 'clear_quarantine') {
      if (!(await (await question()).confirmClearQuarantine(modals, device))) return false
      await step.mutateAsync({ device, action: 'clearQuarantine' })
      void notify({ kind: 'success', text: done(device.name) })
      return true
    }
    const until = device.updates_paused_until
    const resumed = await change.mutateAsync({ device, body: { updates_paused_until: null } })
    const undo = () => void change.mutateAsync({ device: resumed, body: { updates_paused_until: until } }).catch(notifyFailed)
    void notify({ kind: 'success', text: done(device.name), action: { label: 'Undo', onClick: undo } })
    return true
  }
  // The list knows the device only by name, and may be older than it.
  const run = useMutation({
    mutationFn: async () => act(await client.fetchQuery({ ...deviceQuery(api, item.device_id), staleTime: 0 })),
    onError: notifyFailed,
  })
  return (
    <Button
      size="small"
      aria-label={`${label}: ${item.device_name}`}
      busy={run.isPending}
      busyLabel={busy}
      refused={refused}
      onClick={() => run.mutate()}
    >
      {label}
    </Button>
  )
}
