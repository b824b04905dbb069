import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import type { Device } from '../../../../contract/fleet/devices'
import { parseTime } from '../../../lib/dates'
import { useRefusal } from '../../../system/scope/grants'
import { fetchPart, lazyPart } from '../../../system/page/lazy'
import { MoreMenu } from '../../../system/page/more-menu'
import type { MenuEntry } from '../../../system/page/more-menu-list'
import { useSendCommand } from '../../../system/send-command'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import { useNow } from '../../../ui/text/time'
import { useDeviceSteps } from './use-device-steps'

const Polling = lazyPart(() => import('./polling-dialog').then((part) => part.PollingDialog))
const Pause = lazyPart(() => import('./pause-dialog').then((part) => part.PauseDialog))
const Move = lazyPart(() => import('./move-dialog').then((part) => part.MoveDialog))
const Decommission = lazyPart(() => import('./decommission-dialog').then((part) => part.DecommissionDialog))

/** For longer waits a shorter interval is offered, in milliseconds. */
const longWait = 120_000

/** Commands wait for the next check-in, whose time is shown. */
const Commands = ({ device }: { device: Device }) => {
  const { modals } = useSystem()
  const mayCommand = useRefusal('device:remote_command')
  const mayManage = useRefusal('project:manage_devices')
  const [polling, setPolling] = useState(false)
  const { send, isPending } = useSendCommand(({ expected_at: at }) => {
    const isLong = at !== null && new Date(at).getTime() - Date.now() > longWait && mayManage === undefined
    return isLong ? { label: 'Check in more often', onClick: () => setPolling(true) } : undefined
  })
  const reboot = async () => {
    const { confirmReboot } = await fetchPart(() => import('./device-questions'))
    if (await confirmReboot(modals, device)) await send(device.id, 'reboot')
  }
  return (
    <>
      <Button
        icon={<Icon name="refresh" />}
        refused={mayCommand}
        disabled={isPending}
        onClick={() => void send(device.id, 'check_now')}
      >
        Check now
      </Button>
      <Button icon={<Icon name="power" />} refused={mayCommand} disabled={isPending} data-tight onClick={() => void reboot()}>
        <span>Reboot</span>
      </Button>
      <Suspense>{polling && <Polling device={device} onClose={() => setPolling(false)} />}</Suspense>
    </>
  )
}

type Entry = 'clearQuarantine' | 'pause' | 'resume' | 'move' | 'disable' | 'decommission' | 'delete'

const entriesOf = ({ lifecycle, quarantine, updates_enabled }: Device, paused: boolean): MenuEntry<Entry>[] => [
  ...(lifecycle === 'active' && quarantine ? [{ value: 'clearQuarantine', label: 'Clear quarantine…' } as const] : []),
  ...(lifecycle === 'active' && updates_enabled
    ? [paused ? ({ value: 'resume', label: 'Resume updates' } as const) : ({ value: 'pause', label: 'Pause updates…' } as const)]
    : []),
  ...(lifecycle === 'active' || lifecycle === 'disabled' ? [{ value: 'move', label: 'Move to another project…' } as const] : []),
  ...(lifecycle === 'active' ? [{ value: 'disable', label: 'Disable…' } as const] : []),
  ...(lifecycle === 'decommissioned' ? [] : [{ value: 'decommission', label: 'Decommission…', danger: true } as const]),
  { value: 'delete', label: 'Delete…', danger: true },
]

type Steps = ReturnType<typeof useDeviceSteps>

const More = ({ device, steps }: { device: Device; steps: Steps }) => {
  const refused = useRefusal('project:manage_devices')
  const now = useNow()
  const [chosen, setDialog] = useState<'pause' | 'move' | 'decommission'>()
  // The palette leads here with a change to begin with.
  const { change } = useSearch({ strict: false })
  const navigate = useNavigate()
  const paused = device.updates_paused_until !== null && parseTime(device.updates_paused_until) > now
  const isPausable = device.lifecycle === 'active' && device.updates_enabled
  const asked = change === 'pause' && refused === undefined && isPausable ? change : undefined
  const dialog = chosen ?? asked
  const choose = (entry: Entry) => {
    if (entry === 'pause' || entry === 'move' || entry === 'decommission') setDialog(entry)
    else if (entry === 'clearQuarantine') void steps.clearQuarantine()
    else if (entry === 'resume') steps.resume()
    else if (entry === 'disable') void steps.disable()
    else void steps.remove()
  }
  const close = () => {
    setDialog(undefined)
    if (change !== undefined) void navigate({ to: '.', search: (kept) => ({ ...kept, change: undefined }), replace: true })
  }
  return (
    <>
      <MoreMenu
        label="More actions"
        entries={entriesOf(device, paused)}
        onChoose={choose}
        refused={refused}
        disabled={steps.busy}
      />
      <Suspense>
        {dialog === 'pause' && <Pause device={device} onClose={close} />}
        {dialog === 'move' && <Move device={device} onClose={close} />}
        {dialog === 'decommission' && <Decommission device={device} onClose={close} />}
      </Suspense>
    </>
  )
}

/** The actions of a device: by its lifecycle the next steps, and behind a menu what stops or ends something. */
export const DeviceActions = ({ device }: { device: Device }) => {
  const refused = useRefusal('project:manage_devices')
  const steps = useDeviceSteps(device)
  const may = { refused, disabled: steps.busy }
  const { lifecycle } = device
  return (
    <>
      {/* A hawkBit client takes no commands. */}
      {lifecycle === 'active' && device.protocol !== 'ddi' && <Commands device={device} />}
      {lifecycle === 'disabled' && (
        <Button {...may} onClick={() => void steps.enable()}>
          Enable
        </Button>
      )}
      {lifecycle === 'rejected' && (
        <Button {...may} onClick={() => void steps.makePending()}>
          Make pending again
        </Button>
      )}
      {lifecycle === 'pending' && (
        <>
          <Button variant="dangerOutline" {...may} onClick={() => void steps.reject()}>
            Reject
          </Button>
          <Button variant="primary" {...may} onClick={() => void steps.accept()}>
            Accept
          </Button>
        </>
      )}
      <More device={device} steps={steps} />
    </>
  )
}
