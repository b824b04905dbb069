import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Device } from '../../../contract/fleet/devices'
import type { attentionActions, Overview } from '../../../contract/overview/monitor'
import { deviceActionMutation, updateDeviceMutation } from '../../api/mutations/fleet/devices'
import { rolloutStepMutation } from '../../api/mutations/updates/rollouts'
import { deviceQuery } from '../../api/queries/fleet/devices'
import { rolloutQuery } from '../../api/queries/updates/rollouts'
import { pluralize } from '../../lib/pluralize'
import { describeRetry } from '../../lib/retry-text'
import { useRefusal } from '../../system/scope/grants'
import { createHeldRequest } from '../../system/form/held-request'
import { fetchPart } from '../../system/page/lazy'
import { notify } from '../../system/failure/notify'
import { notifyFailed } from '../../system/failure/notify-failed'
import { useSendCommand } from '../../system/send-command'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'

type Item = Overview['attention'][number]
export type Step = Exclude<(typeof attentionActions)[number], 'open_logs' | 'open_release'>

const words: Record<Step, { label: string; busy: string }> = {
  accept: { label: 'Accept', busy: 'Accepting...' },
  clear_quarantine: { label: 'Clear quarantine', busy: 'Clearing...' },
  resume_updates: { label: 'Resume updates', busy: 'Resuming...' },
  retry_failed: { label: 'Retry', busy: 'Retrying...' },
  check_now: { label: 'Check now', busy: 'Sending...' },
}
const needs = {
  accept: 'project:manage_devices',
  clear_quarantine: 'project:manage_devices',
  resume_updates: 'project:manage_devices',
  retry_failed: 'project:manage_releases',
  check_now: 'device:remote_command',
} as const

const clearQuestion = () => fetchPart(() => import('../../system/clear-quarantine-question'))
const modalQuestion = () => fetchPart(() => import('../../system/modals/confirm'))

/** The step of each action; a step ends early if a person declined. */
const useSteps = (): Record<Step, (device: Device) => Promise<void>> => {
  const { api, modals } = useSystem()
  const client = useQueryClient()
  const step = useMutation(deviceActionMutation(api))
  const change = useMutation(updateDeviceMutation(api))
  const { send } = useSendCommand()
  const rolloutStep = useMutation(rolloutStepMutation(api))
  const [retryOnce] = useState(createHeldRequest<{ rolloutId: string; action: 'retryFailed' }>)
  return {
    accept: async (device) => {
      const accepted = await step.mutateAsync({ device, action: 'accept' })
      const undo = () => void step.mutateAsync({ device: accepted, action: 'disable' }).catch(notifyFailed)
      void notify({ kind: 'success', text: `${device.name} was accepted`, action: { label: 'Disable it', onClick: undo } })
    },
    clear_quarantine: async (device) => {
      if (!(await (await clearQuestion()).confirmClearQuarantine(modals, device))) return
      await step.mutateAsync({ device, action: 'clearQuarantine' })
      void notify({ kind: 'success', text: `${device.name} is offered the release again at its next check-in` })
    },
    resume_updates: async (device) => {
      const until = device.updates_paused_until
      const resumed = await change.mutateAsync({ device, body: { updates_paused_until: null } })
      const undo = () => void change.mutateAsync({ device: resumed, body: { updates_paused_until: until } }).catch(notifyFailed)
      void notify({ kind: 'success', text: `${device.name} is offered updates again`, action: { label: 'Undo', onClick: undo } })
    },
    retry_failed: async ({ name: device, update }) => {
      // It was cancelled, or the device was given another one, since the list was read.
      if (!update) return void notify({ kind: 'info', text: `${device} has no update to retry` })
      const rollout = await client.fetchQuery({ ...rolloutQuery(api, update.rollout_id), staleTime: 0 })
      const { name, counts } = rollout
      const failed = pluralize(counts.failed, 'failed device')
      const { confirm } = await modalQuestion()
      const text = describeRetry(rollout)
      if (!(await confirm(modals, { title: `Retry ${failed} of ${name}?`, text, accept: `Retry ${failed}`, decline: 'Cancel' })))
        return
      const retry = { rolloutId: rollout.id, action: 'retryFailed' } as const
      // After a lost answer another key would be refused: nothing is left to retry.
      await retryOnce(retry, retry, ({ body, idempotencyKey }) => rolloutStep.mutateAsync({ ...body, idempotencyKey }))
      void notify({ kind: 'success', text: `${failed} of ${name} queued again` })
    },
    check_now: ({ id }) => send(id, 'check_now'),
  }
}

/** What can be done about an entry at once. The entry leaves the list when the server no longer has a reason for it. */
export const AttentionAction = ({ item, action }: { item: Item; action: Step }) => {
  const { api } = useSystem()
  const client = useQueryClient()
  const refused = useRefusal(needs[action])
  const steps = useSteps()
  const { label, busy } = words[action]
  // The list knows the device only by name, and may be older than it.
  const run = useMutation({
    mutationFn: async () => steps[action](await client.fetchQuery({ ...deviceQuery(api, item.device_id), staleTime: 0 })),
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
