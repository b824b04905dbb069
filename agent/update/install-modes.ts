import type { updateModes } from '../../contract/device/config-fields'
import type { Installable } from '../../contract/device/installs'
import type { Device } from '../device'
import type { Attempt } from '../state/store'
import type { InstallMode } from './install-mode'
import { fileMode } from './mode-file'
import { slotMode } from './mode-slot'

const modes: Record<(typeof updateModes)[number], InstallMode> = { file: fileMode, ab_rootfs: slotMode }

export const getConfiguredMode = ({ config }: Device): InstallMode => modes[config.update_mode]

/** What the device can install as configured; not known while a slot cannot be read, which must not stop a check-in. */
export const readInstalls = (device: Device): Installable | undefined => {
  try {
    return getConfiguredMode(device).installs(device)
  } catch {
    return undefined
  }
}

/** The mode in which an update was accepted: the configuration may have changed since. */
export const getModeOfAttempt = ({ update_mode, slot }: Attempt): InstallMode =>
  modes[update_mode ?? (slot === null ? 'file' : 'ab_rootfs')]
