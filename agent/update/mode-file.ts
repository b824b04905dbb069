import { bundleRefusal, type InstallMode } from './install-mode'
import { installFiles, restoreFiles } from './install-files'
import { placements, progressOf } from './placements'

/** Replaces single files of the running system. */
export const fileMode: InstallMode = {
  chooseSlot: () => null,
  refusal: (manifest) =>
    manifest.type === 'rootfs' ? 'A rootfs release needs the update mode ab_rootfs' : bundleRefusal(manifest),
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
  rollBack: ({ paths }) => restoreFiles(paths.backup),
  runsUntilReboot: false,
}
