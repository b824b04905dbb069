import { useMutation } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import type { Device } from '../../../contract/devices'
import { failureOf } from '../../api/failure'
import { type DeviceAction, deviceActionMutation, sendCommandMutation } from '../../api/mutations/devices'
import { useRefusal } from '../../system/grants'
import { fetchPart, lazyPart } from '../../system/lazy'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { formatQueuedCommand } from './queued-command-text'

const Polling = lazyPart(() => import('./polling-dialog').then((part) => part.PollingDialog))

const failed = (error: unknown) => void notify({ kind: 'error', text: failureOf(error)?.message ?? 'Nothing was changed' })
/** For longer waits a shorter interval is offered, in milliseconds. */
const longWait = 120_000

/** The actions of a device. Commands wait for the next check-in, whose time is shown. */
export const DeviceActions = ({ device }: { device: Device }) => {
  const { api, modals } = useSystem()
  const mayCommand = useRefusal('device:remote_command')
  const mayManage = useRefusal('project:manage_devices')
  const [polling, setPolling] = useState(false)
  const command = useMutation({
    ...sendCommandMutation(api),
    onSuccess: ({ expected_at: at }) => {
      const now = new Date()
      const long = at !== null && new Date(at).getTime() - now.getTime() > longWait && mayManage === undefined
      const action = { label: 'Check in more often', onClick: () => setPolling(true) }
      void notify({ kind: 'success', text: formatQueuedCommand(at, now), ...(long && { action }) })
    },
    onError: failed,
  })
  const reboot = async () => {
    const { confirmReboot } = await fetchPart(() => import('./confirm-reboot'))
    if (await confirmReboot(modals, device)) command.mutate({ deviceId: device.id, body: { command: 'reboot' } })
  }
  const action = useMutation({ ...deviceActionMutation(api), onError: failed })
  const act = (name: DeviceAction) => action.mutate({ device, action: name })
  const reject = async () => {
    const { confirmReject } = await fetchPart(() => import('./confirm-reject'))
    if (await confirmReject(modals, device)) act('reject')
  }
  const { lifecycle } = device
  if (lifecycle === 'decommissioned') return null
  if (lifecycle === 'rejected')
    return (
      <Button refused={mayManage} disabled={action.isPending} onClick={() => act('restore')}>
        Make pending again
      </Button>
    )
  return (
    <>
      {lifecycle === 'active' && (
        <>
          <Button
            icon={<Icon name="refresh" />}
            refused={mayCommand}
            disabled={command.isPending}
            onClick={() => command.mutate({ deviceId: device.id, body: { command: 'check_now' } })}
          >
            Check now
          </Button>
          <Button icon={<Icon name="power" />} refused={mayCommand} disabled={command.isPending} onClick={() => void reboot()}>
            Reboot
          </Button>
        </>
      )}
      {lifecycle === 'active' && device.quarantine && (
        <Button refused={mayManage} onClick={() => act('clearQuarantine')}>
          Clear quarantine
        </Button>
      )}
      {lifecycle === 'disabled' && (
        <Button refused={mayManage} disabled={action.isPending} onClick={() => act('enable')}>
          Enable
        </Button>
      )}
      {lifecycle === 'pending' && (
        <>
          <Button variant="dangerOutline" refused={mayManage} disabled={action.isPending} onClick={() => void reject()}>
            Reject
          </Button>
          <Button variant="primary" refused={mayManage} disabled={action.isPending} onClick={() => act('accept')}>
            Accept
          </Button>
        </>
      )}
      <Suspense>{polling && <Polling device={device} onClose={() => setPolling(false)} />}</Suspense>
    </>
  )
}
