import { join } from 'node:path'
import type { DeviceConfig } from '../../contract/device/config'

/** The agent's paths, below its own directory. */
export const agentPaths = (config: DeviceConfig) => ({
  /** Downloaded bytes by their hash; `<hash>.part` during the download. */
  staging: join(config.persistent_directory, 'staging'),
  blob: (sha256: string) => join(config.persistent_directory, 'staging', sha256),
  unpacked: join(config.persistent_directory, 'staging', 'unpacked'),
  placedFiles: join(config.persistent_directory, 'placed-files.json'),
  backup: join(config.persistent_directory, 'backup'),
  slot: (slot: 'a' | 'b') => config.slots?.[slot] ?? join(config.install_root, 'slots', slot),
  bootRecord: join(config.install_root, 'boot.json'),
})
export type AgentPaths = ReturnType<typeof agentPaths>
