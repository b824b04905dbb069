import {
  array,
  boolean,
  enums,
  type Infer,
  integer,
  nullable,
  object,
  optional,
  record,
  refine,
  string,
  type,
  unknown,
} from 'superstruct'
import { endpoint, requires, inProject } from './endpoint'
import { pattern, text, whole } from './rules'
import { Id, Timestamp } from './shapes'

const absolute = (label: string) =>
  pattern('absolute_path', /^\/(?!.*(?:^|\/)\.\.(?:\/|$))[^\0]{0,4095}$/, `${label} must be an absolute path`)

/** The form of the config generator; the answer is a complete device.json. */
export const DeviceConfigForm = object({
  name: text('Name', { max: 100 }),
  enrollment: enums(['group', 'pre_enrolled']),
  device_id: optional(Id),
  device_token: optional(pattern('token', /^dvc_[0-9A-Za-z]{49}$/, 'Paste the device token that was shown when it was issued')),
  hardware_model: text('Hardware model', { max: 63 }),
  server_url: pattern('url', /^https?:\/\/[^\s/]+(?:\/\S*)?$/, 'Enter an http or https address'),
  public_key_ids: refine(
    array(Id),
    'required',
    (value) => (value.length >= 1 && value.length <= 8) || 'Add at least one key; without one the client refuses every update',
  ),
  trial: optional(boolean()),
  persistent_directory: absolute('Persistent directory'),
  install_root: absolute('Install root'),
  update_mode: enums(['file', 'ab_rootfs']),
  slots: optional(object({ a: absolute('Slot a'), b: absolute('Slot b') })),
  reboot_command: optional(text('Reboot command', { min: 0, max: 512 })),
  polling_interval_s: whole('Polling interval', 30, 604_800),
  network_timeout_s: whole('Network timeout', 5, 600),
  download_retries: whole('Download retries', 1, 100),
  metrics_interval_s: whole('Metrics interval', 10, 3600),
  logs_enabled: boolean(),
  log_level: enums(['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug']),
  single_check: boolean(),
  stop_after: enums(['none', 'download', 'install']),
})
export type DeviceConfigForm = Infer<typeof DeviceConfigForm>

const Finding = type({ path: string(), level: enums(['error', 'warning']), text: string() })
export const createDeviceConfig = endpoint({
  method: 'POST',
  path: '/projects/:projectId/device_configs',
  summary: 'Create a device.json. For a group, only this answer contains its new enrollment token.',
  needs: requires(inProject, 'project:manage_devices'),
  audit: 'config.generate',
  rate: 'write',
  body: DeviceConfigForm,
  answer: type({
    config: record(string(), unknown()),
    sha256: string(),
    warnings: array(Finding),
    enrollment_token_id: nullable(string()),
    /** Limits of the token in the configuration; null if it contains none. */
    enrollment_limits: nullable(type({ max_uses: nullable(integer()), expires_at: Timestamp })),
  }),
  status: 201,
})
export const checkDeviceConfig = endpoint({
  method: 'POST',
  path: '/projects/:projectId/device_configs/check',
  summary: 'Check a device.json and list its errors and warnings.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  body: object({ config: record(string(), unknown()) }),
  answer: type({ findings: array(Finding) }),
})
