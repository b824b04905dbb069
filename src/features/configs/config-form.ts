import { configDefaults, type updateModes } from '../../../contract/device/config-fields'
import type { Project } from '../../../contract/accounts/projects'
import type { DeviceCredentials } from '../../system/device-credentials'

const directories = { kept: '/var/lib/teasel', trial: `${configDefaults.temporary_directory}/teasel` }

/** A trial begins with a directory under /tmp, unless another one was entered. */
export const swapDirectory = ({ checked, form }: HTMLInputElement): void => {
  const input = form?.elements.namedItem('persistent_directory')
  const [before, after] = checked ? [directories.kept, directories.trial] : [directories.trial, directories.kept]
  if (input instanceof HTMLInputElement && input.value === before) input.value = after
}

/** Initial values of the form: the client's defaults, and those known from the project. */
export const defaultsOf = (serverUrl: string, project: Project, device: DeviceCredentials | undefined) => {
  const [first] = project.settings.hardware_models
  const id = device?.hardwareModel ?? first?.id ?? ''
  const model = project.settings.hardware_models.find((one) => one.id === id)
  const mode: (typeof updateModes)[number] = model?.slots === 'ab' ? 'ab_rootfs' : configDefaults.update_mode
  return {
    device,
    server_url: serverUrl,
    hardware_model: id,
    update_mode: mode,
    persistent_directory: directories.kept,
    install_root: '/',
    polling_interval_s: device?.pollingIntervalS ?? project.settings.polling_interval_s,
    network_timeout_s: configDefaults.network_timeout_s,
    download_retries: configDefaults.download_retries,
    metrics_interval_s: configDefaults.metrics_interval_s,
  }
}
export type Defaults = ReturnType<typeof defaultsOf>

const text = (data: FormData, name: string) => {
  const value = data.get(name)
  return typeof value === 'string' ? value.trim() : ''
}
const filled = (data: FormData, ...names: string[]) =>
  Object.fromEntries(names.flatMap((name) => (text(data, name) === '' ? [] : [[name, text(data, name)]])))
const number = (data: FormData, name: string) => (text(data, name) === '' ? undefined : Number(text(data, name)))

const slotsOf = (data: FormData) => {
  const slots = { a: text(data, 'slots.a'), b: text(data, 'slots.b') }
  return slots.a === '' && slots.b === '' ? {} : { slots }
}

/** The values of the controls, as the contract's body. */
export const readForm = (data: FormData, keyIds: readonly string[]) => ({
  name: text(data, 'name'),
  enrollment: text(data, 'enrollment'),
  ...(text(data, 'enrollment') === 'pre_enrolled' && {
    ...filled(data, 'device_id', 'device_token'),
  }),
  hardware_model: text(data, 'hardware_model'),
  server_url: text(data, 'server_url'),
  public_key_ids: keyIds,
  trial: data.get('trial') !== null,
  persistent_directory: text(data, 'persistent_directory'),
  install_root: text(data, 'install_root'),
  update_mode: text(data, 'update_mode'),
  ...slotsOf(data),
  ...filled(data, 'reboot_command', 'identity_path', 'fallback_manifest_url'),
  polling_interval_s: number(data, 'polling_interval_s'),
  network_timeout_s: number(data, 'network_timeout_s'),
  download_retries: number(data, 'download_retries'),
  metrics_interval_s: number(data, 'metrics_interval_s'),
  logs_enabled: data.get('logs_enabled') !== null,
  log_level: text(data, 'log_level'),
  single_check: data.get('single_check') !== null,
  stop_after: text(data, 'stop_after'),
})
