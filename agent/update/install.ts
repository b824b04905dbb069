import type { Manifest } from '../../contract/device/manifest'
import type { Device } from '../device'
import { subjectOf } from '../state/outbox'
import type { Attempt } from '../state/store'
import { otherSlot, readBoot, type Slot, writeBoot } from './boot'
import { failureOf, UpdateFailure } from './failure'
import { installFiles, type Placement } from './install-files'
import { labelSlot, writeImage, writeTree } from './install-slot'
import { unpack } from './zip'

const modeOf = (mode: string | null) => Number.parseInt(mode ?? '0644', 8)

/** What is installed where: payloads as they are, an archive as the files in it. */
const placements = async ({ places }: Device, manifest: Manifest): Promise<Placement[]> => {
  const found: Placement[] = []
  for (const { kind, sha256, install_location: location, mode } of manifest.files) {
    if (location === null) continue
    if (kind === 'payload') found.push({ source: places.blob(sha256), sha256, location, mode: modeOf(mode) })
    if (kind === 'archive')
      for (const file of await unpack(places.blob(sha256), places.unpacked))
        found.push({ ...file, location: `${location}/${file.name}` })
  }
  return found
}

const progressOf = (device: Device, attempt: Attempt, total: number) => {
  let shown = 0
  return (done: number) => {
    const percent = Math.floor((100 * done) / total)
    if (percent < shown + 25) return
    shown = percent
    device.outbox.note(subjectOf(attempt), 'install_progress', { progress_percent: percent })
  }
}

/** The inactive slot; it must not be bootable while it is being written. */
export const trialSlot = ({ config, places }: Device): Slot | null =>
  config.update_mode === 'ab_rootfs' ? otherSlot(readBoot(places).active) : null

const intoSlot = async (device: Device, attempt: Attempt, manifest: Manifest, slot: Slot) => {
  const { places } = device
  const boot = readBoot(places)
  writeBoot(places, { active: boot.active, pending: null, attempts_left: 0 })
  const image = manifest.files.find(({ kind }) => kind === 'rootfs')
  const path = places.slot(slot)
  if (image) await writeImage(places.blob(image.sha256), image, path, progressOf(device, attempt, image.size))
  const files = await placements(device, manifest)
  if (!image) await writeTree(files, places.slot(boot.active), path, progressOf(device, attempt, files.length))
  await labelSlot(path, manifest)
}

/** Installs the release: over the files, or into the inactive slot. Safe to repeat after a kill. */
export const install = async (device: Device, attempt: Attempt, manifest: Manifest): Promise<void> => {
  const { config, places } = device
  try {
    if (attempt.slot !== null) return await intoSlot(device, attempt, manifest, attempt.slot)
    const files = await placements(device, manifest)
    const where = { root: config.install_root, backup: places.backup, own: config.persistent_directory }
    await installFiles(files, where, progressOf(device, attempt, files.length))
  } catch (error) {
    throw failureOf(error, 'install_failed')
  }
}

/** Refuses before the download a release that needs something this device does not have. */
export const checkMode = ({ config }: Device, manifest: Manifest): void => {
  if (manifest.type === 'rootfs' && config.update_mode === 'file')
    throw new UpdateFailure('install_failed', 'A rootfs release needs the update mode ab_rootfs')
}

export const needsReboot = ({ reboot, type }: Manifest, slot: Slot | null): boolean =>
  slot !== null || reboot === 'after_install' || (reboot === 'if_needed' && type === 'rootfs')
