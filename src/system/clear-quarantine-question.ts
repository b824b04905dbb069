import type { Device } from '../../contract/fleet/devices'
import { confirm } from './modals/confirm'
import type { Modals } from './modals/modals'

export const confirmClearQuarantine = (modals: Modals, { name, quarantine }: Device) =>
  confirm(modals, {
    title: `Clear the quarantine of ${name}?`,
    text: `The release that failed may be offered again from the next check-in (reason: ${quarantine?.reason ?? 'none'}). Further failures quarantine the device again.`,
    accept: 'Clear quarantine',
    decline: 'Cancel',
  })
