import type { Device } from '../../../contract/devices'
import { confirm } from '../../system/modals/confirm'
import type { Modals } from '../../system/modals/modals'

export const confirmReject = (modals: Modals, { name }: Device) =>
  confirm(modals, {
    title: `Reject ${name}?`,
    text: 'The device gets no updates and its reports are refused. You can make it pending again on its page.',
    accept: 'Reject',
    decline: 'Cancel',
    danger: true,
  })
