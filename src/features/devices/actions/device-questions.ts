import { deletedDeviceDays, type Device } from '../../../../contract/fleet/devices'
import { confirm } from '../../../system/modals/confirm'
import type { Modals } from '../../../system/modals/modals'

const decline = 'Cancel'
const enrollsByToken = ({ enrollment }: Device) => enrollment === 'group' || enrollment === 'single'

export const confirmReject = (modals: Modals, { name }: Device) =>
  confirm(modals, {
    title: `Reject ${name}?`,
    text: 'The device gets no updates and its reports are refused. You can make it pending again on its page.',
    accept: 'Reject',
    decline,
    danger: true,
  })

export const confirmReboot = (modals: Modals, { name }: Device) =>
  confirm(modals, {
    title: `Reboot ${name}?`,
    text: 'The device restarts at its next check-in and is not available until it is running again.',
    accept: 'Reboot',
    decline,
  })

export const confirmDisable = (modals: Modals, { name }: Device) =>
  confirm(modals, {
    title: `Disable ${name}?`,
    text: 'The device still checks in and reports, but it is offered no new update and gets no commands. An update that is running continues. You can enable it again.',
    accept: 'Disable',
    decline,
    danger: true,
  })

export const confirmDelete = (modals: Modals, device: Device) =>
  confirm(modals, {
    title: `Delete ${device.name}?`,
    text: `It is removed from the list and its token is refused. You can restore it with its history for ${deletedDeviceDays} days.${
      device.lifecycle !== 'decommissioned' && enrollsByToken(device)
        ? ' A client with a valid enrollment token in its device.json enrolls again as a new device: to keep it out, decommission it instead.'
        : ''
    }`,
    accept: 'Delete',
    decline,
    danger: true,
  })
