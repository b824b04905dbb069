import { useMutation } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { deletedDeviceDays, type Device } from '../../../../contract/fleet/devices'
import {
  type DeviceAction,
  deleteDeviceMutation,
  deviceActionMutation,
  updateDeviceMutation,
} from '../../../api/mutations/fleet/devices'
import { failureOf } from '../../../api/failure'
import { fetchPart } from '../../../system/page/lazy'
import { notify } from '../../../system/failure/notify'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { useSystem } from '../../../system/system'

const quarantineQuestion = () => fetchPart(() => import('../../../system/clear-quarantine-question'))
const questions = () => fetchPart(() => import('./device-questions'))
const list = '/organizations/$organizationId/projects/$projectId/devices/list' as const

/** Of a device that was deleted meanwhile the page says more: it is read again. */
const notifyUnlessGone = (error: unknown): void => {
  if (failureOf(error)?.status !== 404) notifyFailed(error)
}

/** The steps in the life of a device, each with its question before and its undo after. Failures are notices. */
export const useDeviceSteps = (device: Device) => {
  const { api, modals } = useSystem()
  const navigate = useNavigate()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const action = useMutation({ ...deviceActionMutation(api), onError: notifyUnlessGone })
  const change = useMutation({ ...updateDeviceMutation(api), onError: notifyUnlessGone })
  const deletion = useMutation({ ...deleteDeviceMutation(api), onError: notifyUnlessGone })
  const { name } = device

  /** Undefined if it failed: that was notified. */
  const act = (step: DeviceAction) => action.mutateAsync({ device, action: step }).catch(() => undefined)
  const undo = (step: DeviceAction, done: string) => ({
    label: 'Undo',
    onClick: () => void act(step).then((after) => after && notify({ kind: 'success', text: done })),
  })

  return {
    busy: action.isPending || change.isPending || deletion.isPending,
    accept: () => act('accept'),
    enable: () => act('enable'),
    makePending: () => act('restore'),
    resume: () => change.mutate({ device, body: { updates_paused_until: null } }),
    reject: async () => {
      if (await (await questions()).confirmReject(modals, device)) await act('reject')
    },
    clearQuarantine: async () => {
      if (await (await quarantineQuestion()).confirmClearQuarantine(modals, device)) await act('clearQuarantine')
    },
    disable: async () => {
      if (!(await (await questions()).confirmDisable(modals, device)) || !(await act('disable'))) return
      void notify({ kind: 'success', text: `${name} was disabled`, action: undo('enable', `${name} was enabled`) })
    },
    remove: async () => {
      if (!(await (await questions()).confirmDelete(modals, device))) return
      try {
        await deletion.mutateAsync(device)
      } catch {
        return
      }
      await navigate({ to: list, params: { organizationId, projectId }, replace: true })
      void notify({
        kind: 'success',
        text: `${name} was deleted`,
        detail: `It can be restored for ${deletedDeviceDays} days.`,
        action: undo('restore', `${name} was restored`),
      })
    },
  }
}
