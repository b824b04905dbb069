import { bootAttempts, otherSlot, readBoot, type Slot, writeBoot } from './boot'
import type { InstallMode } from './install-mode'
import { labelSlot, writeImage, writeTree } from './install-slot'
import { placements, progressOf } from './placements'
import type { Device } from '../device'
import type { Attempt } from '../state/store'

const slotOf = ({ slot }: Attempt): Slot => {
  if (slot === null) throw new Error('The update names no slot')
  return slot
}

const clearPending = ({ places }: Device) =>
  writeBoot(places, { active: readBoot(places).active, pending: null, attempts_left: 0 })

/** Writes the inactive slot and starts from it. */
export const slotMode: InstallMode = {
  chooseSlot: ({ places }) => otherSlot(readBoot(places).active),
  refusal: () => null,
  install: async (device, attempt, manifest) => {
    const { places } = device
    // The slot must not be bootable while it is being written.
    clearPending(device)
    const image = manifest.files.find(({ kind }) => kind === 'rootfs')
    const path = places.slot(slotOf(attempt))
    if (image) await writeImage(places.blob(image.sha256), image, path, progressOf(device, attempt, image.size))
    const files = await placements(device, manifest)
    const running = places.slot(readBoot(places).active)
    if (!image) await writeTree(files, running, path, progressOf(device, attempt, files.length))
    await labelSlot(path, manifest)
  },
  needsReboot: () => true,
  beginTrial: ({ places }, attempt) =>
    writeBoot(places, { active: readBoot(places).active, pending: slotOf(attempt), attempts_left: bootAttempts }),
  startsLeft: ({ places }, attempt) => {
    const { active, pending, attempts_left } = readBoot(places)
    if (active === slotOf(attempt) && pending === null) return 'confirmed'
    // No pending slot means that the bootloader has already switched back.
    return pending === slotOf(attempt) ? attempts_left : 0
  },
  countStart: ({ places }, left) => writeBoot(places, { ...readBoot(places), attempts_left: left }),
  confirm: ({ places }, attempt) => writeBoot(places, { active: slotOf(attempt), pending: null, attempts_left: 0 }),
  rollBack: async (device) => clearPending(device),
  runsUntilReboot: true,
}
