import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { InstallMode } from './install-mode'
import { discardIncompleteBackup, installFiles, restoreFiles } from './install-files'
import { placements, plannedFiles, progressOf, unpackedBytes } from './placements'
import { placedByInstalled, recordInstallation } from './placed-files'
import { isOnSameDisk, type SpaceNeed } from './space'

const sizeOfFile = async (path: string): Promise<number> => {
  const there = await lstat(path).catch(() => null)
  return there?.isFile() ? there.size : 0
}

/** Replaces single files of the running system. */
export const fileMode: InstallMode = {
  chooseSlot: () => null,
  installs: () => 'files',
  spaceNeeds: async (device, _, manifest) => {
    const { config, paths } = device
    const files = await plannedFiles(device, manifest)
    const needs: SpaceNeed[] = [{ folder: paths.staging, bytes: unpackedBytes(files) }]
    for (const { location, size } of files) {
      const target = join(config.install_root, location)
      const replaced = await sizeOfFile(target)
      needs.push({ folder: paths.backup, bytes: replaced })
      // On the disk of the downloads a file is linked, which takes no space.
      if (!isOnSameDisk(paths.staging, dirname(target)))
        needs.push({ folder: dirname(target), bytes: Math.max(0, size - replaced) })
    }
    // Files of the former release that this one does not have are saved too, before they are removed.
    const placed = new Set(files.map(({ location }) => location))
    for (const { location } of placedByInstalled(device)) {
      const size = placed.has(location) ? 0 : await sizeOfFile(join(config.install_root, location))
      needs.push({ folder: paths.backup, bytes: size })
    }
    return needs
  },
  install: async (device, attempt, manifest) => {
    const { config, paths } = device
    const files = await placements(device, manifest)
    const former = placedByInstalled(device)
    const where = { root: config.install_root, backup: paths.backup, own: config.persistent_directory, former }
    recordInstallation(device, attempt, await installFiles(files, where, progressOf(device, attempt, files.length)))
  },
  needsReboot: ({ reboot }) => reboot === 'after_install',
  beginTrial: () => {},
  startsLeft: (_, { attempts_left }) => attempts_left,
  countStart: () => {},
  confirm: () => {},
  discardPartial: ({ paths }) => discardIncompleteBackup(paths.backup),
  rollBack: ({ paths }) => restoreFiles(paths.backup),
}
