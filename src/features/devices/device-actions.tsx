import { useMutation } from '@tanstack/react-query'
import type { Device } from '../../../contract/devices'
import { failureOf } from '../../api/failure'
import { type DeviceAction, deviceActionMutation, sendCommandMutation } from '../../api/mutations/devices'
import { useRefusal } from '../../system/grants'
import { fetchPart } from '../../system/lazy'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'

const failed = (error: unknown) => void notify({ kind: 'error', text: failureOf(error)?.message ?? 'Nothing was changed' })

/** Commands wait for the next poll, and say so. */
export const DeviceActions = ({ device }: { device: Device }) => {
  const { api, modals } = useSystem()
  const mayCommand = useRefusal('device:remote_command')
  const mayManage = useRefusal('project:manage_devices')
  const command = useMutation({
    ...sendCommandMutation(api),
    onSuccess: () => void notify({ kind: 'success', text: 'Queued: the device takes it at its next check-in' }),
    onError: failed,
  })
  const reboot = async () => {
    const { confirmReboot } = await fetchPart(() => import('./confirm-reboot'))
    if (await confirmReboot(modals, device)) command.mutate({ deviceId: device.id, body: { command: 'reboot' } })
  }
  const action = useMutation({ ...deviceActionMutation(api), onError: failed })
  const act = (name: DeviceAction) => action.mutate({ device, action: name })
  if (device.lifecycle === 'pending')
    return (
      <>
        <Button variant="dangerOutline" refused={mayManage} onClick={() => act('reject')}>
          Reject
        </Button>
        <Button variant="primary" refused={mayManage} onClick={() => act('accept')}>
          Accept
        </Button>
      </>
    )
  if (device.lifecycle === 'disabled')
    return (
      <Button refused={mayManage} onClick={() => act('enable')}>
        Enable
      </Button>
    )
  if (device.lifecycle === 'decommissioned') return null
  return (
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
      {device.quarantine && (
        <Button refused={mayManage} onClick={() => act('clearQuarantine')}>
          Clear quarantine
        </Button>
      )}
    </>
  )
}
