import { existsSync } from 'node:fs'
import { reasonOf } from '../api-client/http'
import { bootAttempts, otherSlot, readBoot, type Slot, writeBoot } from './boot'
import type { InstallMode } from './install-mode'
import { discardSlot, isRawSlot, labelSlot, writeImage, writeTree } from './install-slot'
import { placements, plannedFiles, progressOf, unpackedBytes } from './placements'
import { placedByInstalled, recordInstallation } from './placed-files'
import { copySize, freedSize } from './space'
import type { Device } from '../device'
import type { Attempt } from '../state/store'

const slotOf = ({ slot }: Attempt): Slot => {
  if (slot === null) throw new Error('The update names no slot')
  return slot
}

const clearPending = ({ paths }: Device) => writeBoot(paths, { active: readBoot(paths).active, pending: null, attempts_left: 0 })

/**
 * Ends a trial that the bootloader knows and the state, which was lost, does not: its slot may be the running one, and the next update
 * would write it. The boot is noted first, so that a kill between changes nothing.
 */
export const endUnknownTrial = (device: Device): void => {
  const { bootId, config, log, paths, store } = device
  if (config.update_mode !== 'ab_rootfs' || store.state.attempt || !existsSync(paths.bootRecord)) return
  try {
    const { pending } = readBoot(paths)
    if (pending === null) return
    log.err(`The state of the trial in slot ${pending} was lost: returning to the active slot`)
    if (config.reboot_command !== undefined) store.change({ failed_in_boot: bootId })
    clearPending(device)
  } catch (error) {
    log.err(`The boot record was not checked: ${reasonOf(error)}`)
  }
}

/** Writes the inactive slot and starts from it. */
export const slotMode: InstallMode = {
  chooseSlot: ({ paths }) => otherSlot(readBoot(paths).active),
  installs: ({ paths }) => (isRawSlot(paths.slot('a')) || isRawSlot(paths.slot('b')) ? 'images' : 'files and images'),
  spaceNeeds: async (device, attempt, manifest) => {
    const { paths } = device
    const slot = paths.slot(slotOf(attempt))
    const image = manifest.files.find(({ kind }) => kind === 'rootfs')
    if (isRawSlot(slot)) return []
    const freed = await freedSize(slot)
    if (image) return [{ folder: slot, bytes: Math.max(0, image.size - freed) }]
    const files = await plannedFiles(device, manifest)
    const written = files.reduce((sum, { size }) => sum + size, await copySize(paths.slot(readBoot(paths).active)))
    return [
      { folder: paths.staging, bytes: unpackedBytes(files) },
      { folder: slot, bytes: Math.max(0, written - freed) },
    ]
  },
  install: async (device, attempt, manifest) => {
    const { paths } = device
    // The slot must not be bootable while it is being written.
    clearPending(device)
    const image = manifest.files.find(({ kind }) => kind === 'rootfs')
    const path = paths.slot(slotOf(attempt))
    if (image) await writeImage(paths.blob(image.sha256), image, path, progressOf(device, attempt, image.size))
    const files = await placements(device, manifest)
    const running = paths.slot(readBoot(paths).active)
    if (!image) {
      const former = placedByInstalled(device)
      recordInstallation(
        device,
        attempt,
        await writeTree(files, running, path, former, progressOf(device, attempt, files.length)),
      )
    }
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
  // A slot that was written completely may be the running one.
  discardPartial: ({ paths }, attempt) => {
    if (!attempt.done.includes('install')) discardSlot(paths.slot(slotOf(attempt)))
  },
  rollBack: async (device) => clearPending(device),
}
