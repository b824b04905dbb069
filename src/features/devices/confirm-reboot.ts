import type { Device } from '../../../contract/devices'
import { confirm } from '../../system/modals/confirm'
import type { Modals } from '../../system/modals/modals'

export const confirmReboot = (modals: Modals, { name }: Device) =>
  confirm(modals, {
    title: `Reboot ${name}?`,
    text: 'The device restarts at its next check-in and is not available until it is running again.',
    accept: 'Reboot',
    decline: 'Cancel',
  })
