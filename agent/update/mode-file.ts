import { lstat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { InstallMode } from './install-mode'
import { discardIncompleteBackup, installFiles, restoreFiles } from './install-files'
import { placements, plannedFiles, progressOf, unpackedBytes } from './placements'
import { isOnSameDisk, type SpaceNeed } from './space'

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
      const there = await lstat(target).catch(() => null)
      const replaced = there?.isFile() ? there.size : 0
      needs.push({ folder: paths.backup, bytes: replaced })
      // On the disk of the downloads a file is linked, which takes no space.
      if (!isOnSameDisk(paths.staging, dirname(target)))
        needs.push({ folder: dirname(target), bytes: Math.max(0, size - replaced) })
    }
    return needs
  },
  install: async (device, attempt, manifest) => {
    const { config, paths } = device
    const files = await placements(device, manifest)
    const where = { root: config.install_root, backup: paths.backup, own: config.persistent_directory }
    await installFiles(files, where, progressOf(device, attempt, files.length))
  },
  needsReboot: ({ reboot }) => reboot === 'after_install',
  beginTrial: () => {},
  startsLeft: (_, { attempts_left }) => attempts_left,
  countStart: () => {},
  confirm: () => {},
  discardPartial: ({ paths }) => discardIncompleteBackup(paths.backup),
  rollBack: ({ paths }) => restoreFiles(paths.backup),
}
