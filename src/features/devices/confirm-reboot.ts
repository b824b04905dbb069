import type { Device } from '../../../contract/devices'
import { confirm } from '../../system/modals/confirm'
import type { Modals } from '../../system/modals/modals'

export const confirmReboot = (modals: Modals, { name }: Device) =>
  confirm(modals, {
    title: `Reboot ${name}?`,
    text: 'It restarts at its next check-in. What runs on it is interrupted until it is up again.',
    accept: 'Reboot',
    decline: 'Cancel',
  })
