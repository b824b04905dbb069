import { type Installable, installsText, isInstallable } from '../../contract/device/installs'
import type { Manifest } from '../../contract/device/manifest'
import type { Device } from '../device'
import type { Attempt } from '../state/store'
import type { Slot } from './boot'
import type { SpaceNeed } from './space'

/** Why no mode of this agent installs a release of this type; null for the others. */
const bundleRefusal = ({ type }: Pick<Manifest, 'type'>): string | null =>
  type === 'bundle' ? 'A bundle is installed by SWUpdate, RAUC or Zephyr, not by this agent' : null

/** Why this device cannot install a release of this type; null if it can. */
export const refusalOf = (mode: InstallMode, device: Device, manifest: Manifest): string | null => {
  const installs = mode.installs(device)
  const isMisfit = !isInstallable(manifest.type, installs)
  return isMisfit ? `The release is of type ${manifest.type}, and this device ${installsText(installs)}` : bundleRefusal(manifest)
}

/** How a release is installed on a device. A step that a kill interrupted is repeated. */
export type InstallMode = {
  /** The slot that a new update writes; null if it replaces files of the running system. */
  chooseSlot: (device: Device) => Slot | null
  /** What the device can install, as it reports it before an offer. */
  installs: (device: Device) => Installable
  /** What `install` will write, besides the downloads. */
  spaceNeeds: (device: Device, attempt: Attempt, manifest: Manifest) => Promise<SpaceNeed[]>
  install: (device: Device, attempt: Attempt, manifest: Manifest) => Promise<void>
  needsReboot: (manifest: Manifest) => boolean
  /** Makes the bootloader start the installed release next, for `bootAttempts` starts. */
  beginTrial: (device: Device, attempt: Attempt) => void
  /** Starts that the release on trial has left; `confirmed` if the bootloader knows that it has passed. */
  startsLeft: (device: Device, attempt: Attempt) => number | 'confirmed'
  countStart: (device: Device, left: number) => void
  confirm: (device: Device, attempt: Attempt) => void
  /** Removes what an `install` that failed has written and `rollBack` does not need. */
  discardPartial: (device: Device, attempt: Attempt) => void
  rollBack: (device: Device) => Promise<void>
}
