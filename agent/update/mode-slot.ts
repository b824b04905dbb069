import { bootAttempts, otherSlot, readBoot, type Slot, writeBoot } from './boot'
import { bundleRefusal, type InstallMode } from './install-mode'
import { labelSlot, writeImage, writeTree } from './install-slot'
import { placements, progressOf } from './placements'
import type { Device } from '../device'
import type { Attempt } from '../state/store'

const slotOf = ({ slot }: Attempt): Slot => {
  if (slot === null) throw new Error('The update names no slot')
  return slot
}

const clearPending = ({ paths }: Device) => writeBoot(paths, { active: readBoot(paths).active, pending: null, attempts_left: 0 })

/** Writes the inactive slot and starts from it. */
export const slotMode: InstallMode = {
  chooseSlot: ({ paths }) => otherSlot(readBoot(paths).active),
  refusal: bundleRefusal,
  install: async (device, attempt, manifest) => {
    const { paths } = device
    // The slot must not be bootable while it is being written.
    clearPending(device)
    const image = manifest.files.find(({ kind }) => kind === 'rootfs')
    const path = paths.slot(slotOf(attempt))
    if (image) await writeImage(paths.blob(image.sha256), image, path, progressOf(device, attempt, image.size))
    const files = await placements(device, manifest)
    const running = paths.slot(readBoot(paths).active)
    if (!image) await writeTree(files, running, path, progressOf(device, attempt, files.length))
    await labelSlot(path, manifest)
  },
  needsReboot: () => true,
  beginTrial: ({ paths }, attempt) =>
    writeBoot(paths, { active: readBoot(paths).active, pending: slotOf(attempt), attempts_left: bootAttempts }),
  startsLeft: ({ paths }, attempt) => {
    const { active, pending, attempts_left } = readBoot(paths)
    if (active === slotOf(attempt) && pending === null) return 'confirmed'
    // No pending slot means that the bootloader has already switched back.
    return pending === slotOf(attempt) ? attempts_left : 0
  },
  countStart: ({ paths }, left) => writeBoot(paths, { ...readBoot(paths), attempts_left: left }),
  confirm: ({ paths }, attempt) => writeBoot(paths, { active: slotOf(attempt), pending: null, attempts_left: 0 }),
  rollBack: async (device) => clearPending(device),
  runsUntilReboot: true,
}
