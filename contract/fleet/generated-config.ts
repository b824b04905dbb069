import type { DeviceConfigForm } from './configs'
import type { DeviceConfig } from '../device/config'
import type { PublicKey } from '../device/public-key'
import { temporaryDirectory } from '../core/limits'

/** How the device authenticates itself. */
export type Identity = { enrollment_token: string } | { device_id: string; device_token: string }

/** The complete device.json of a form. */
export const configOf = (
  form: DeviceConfigForm,
  projectId: string,
  identity: Identity,
  public_keys: PublicKey[],
): DeviceConfig => ({
  schema: 1,
  server_url: form.server_url.replace(/([^/])\/$/, '$1'),
  // A group configuration has no device name.
  ...(form.enrollment === 'pre_enrolled' && { name: form.name }),
  project_id: projectId,
  hardware_model: form.hardware_model,
  ...identity,
  public_keys,
  persistent_directory: form.persistent_directory,
  temporary_directory: temporaryDirectory,
  update_mode: form.update_mode,
  install_root: form.install_root,
  ...(form.slots && { slots: form.slots }),
  ...(form.reboot_command !== undefined && { reboot_command: form.reboot_command }),
  ...(form.identity_path !== undefined && { identity_path: form.identity_path }),
  ...(form.fallback_manifest_url !== undefined && { fallback_manifest_url: form.fallback_manifest_url }),
  polling_interval_s: form.polling_interval_s,
  network_timeout_s: form.network_timeout_s,
  download_retries: form.download_retries,
  metrics_interval_s: form.metrics_interval_s,
  logs_enabled: form.logs_enabled,
  log_level: form.log_level,
  single_check: form.single_check,
  stop_after: form.stop_after,
})

export type Finding = { path: string; level: 'error' | 'warning'; text: string }

/** Warnings about values that are allowed but rarely intended. */
export const warningsOf = (config: DeviceConfig): Finding[] => {
  const found: Finding[] = []
  const warn = (path: string, text: string) => void found.push({ path, level: 'warning', text })
  if (config.server_url.startsWith('http://'))
    warn(
      'server_url',
      'Without https, others on the network can read the token and the logs. Updates stay safe because they are signed',
    )
  if (/^\/tmp(\/|$)/.test(config.persistent_directory)) warn('persistent_directory', 'State in /tmp is lost at reboot')
  if (config.public_keys.length === 1)
    warn('public_keys', 'A single key can only be replaced by an update signed with it: add a second key')
  if (config.polling_interval_s < 60)
    warn('polling_interval_s', 'A polling interval below one minute drains batteries and costs traffic')
  if (config.single_check) warn('single_check', 'The client exits after one check and must be started again by another program')
  if (config.stop_after !== 'none') warn('stop_after', 'No update will be installed completely')
  if (config.update_mode === 'ab_rootfs' && config.reboot_command === undefined)
    warn(
      'reboot_command',
      'Without a reboot command the client only restarts itself, which does not start the other root file system',
    )
  return found
}
