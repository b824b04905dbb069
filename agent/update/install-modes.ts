import type { updateModes } from '../../contract/device/config-fields'
import type { Device } from '../device'
import type { Attempt } from '../state/store'
import type { InstallMode } from './install-mode'
import { fileMode } from './mode-file'
import { slotMode } from './mode-slot'

const modes: Record<(typeof updateModes)[number], InstallMode> = { file: fileMode, ab_rootfs: slotMode }

export const getConfiguredMode = ({ config }: Device): InstallMode => modes[config.update_mode]

/** The mode in which an update was accepted: the configuration may have changed since. */
export const getModeOfAttempt = ({ update_mode, slot }: Attempt): InstallMode =>
  modes[update_mode ?? (slot === null ? 'file' : 'ab_rootfs')]
