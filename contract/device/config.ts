import canonicalize from 'canonicalize'
import { array, boolean, enums, type Infer, literal, object, optional, refine, size, validate } from 'superstruct'
import { temporaryDirectory } from '../limits'
import { type FieldError, fieldErrors, pattern, text, whole } from '../rules'
import { Id } from '../shapes'
import { sha256, utf8 } from './bytes'
import { fingerprintOf, PublicKey } from './public-key'

const updateModes = ['file', 'ab_rootfs'] as const
const stopAfters = ['none', 'download', 'install'] as const
export const logLevels = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** Initial values of the form, and defaults of a hand-written file. */
const configDefaults = {
  temporary_directory: temporaryDirectory,
  update_mode: 'file',
  polling_interval_s: 3600,
  network_timeout_s: 30,
  download_retries: 10,
  metrics_interval_s: 60,
  logs_enabled: true,
  log_level: 'info',
  single_check: false,
  stop_after: 'none',
} as const

const absolute = (label: string) =>
  refine(
    text(label, { max: 4096 }),
    'absolute',
    (path) => (path.startsWith('/') && !path.split('/').includes('..')) || `${label} must be an absolute path without '..'`,
  )
/** A directory of the agent: never the root directory. */
const directory = (label: string) =>
  refine(absolute(label), 'not_root', (path) => !/^\/+$/.test(path) || `${label} must not be /`)

const privateHosts = [
  /^[a-z0-9-]+$/i,
  /\.(?:local|internal|test|localhost)$/i,
  /^(?:127|10)(?:\.\d+){3}$/,
  /^192\.168(?:\.\d+){2}$/,
  /^172\.(?:1[6-9]|2\d|3[01])(?:\.\d+){2}$/,
  /^\[(?:::1|f[cd][0-9a-f]{2}:.*|fe80:.*)\]$/i,
]
/** Whether a host name or address can only belong to this machine or a private network (RFC 1918, RFC 4193, RFC 6762). */
export const isPrivateHost = (host: string): boolean => privateHosts.some((form) => form.test(host))

/** An origin without path; plain http only to this machine or a private network. */
const ServerUrl = refine(text('Server URL', { max: 255 }), 'origin', (value) => {
  const url = URL.canParse(value) ? new URL(value) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.origin !== value.replace(/\/$/, ''))
    return 'Server URL must be an http or https origin without a path'
  return (
    url.protocol === 'https:' || isPrivateHost(url.hostname) || 'Plain http is allowed only on this machine or a private network'
  )
})
const HttpsUrl = refine(
  text('Fallback manifest URL', { max: 2048 }),
  'https',
  (value) => (URL.canParse(value) && new URL(value).protocol === 'https:') || 'Fallback manifest URL must start with https://',
)
const token = (kind: 'enr' | 'dvc', label: string) =>
  pattern('token', new RegExp(`^${kind}_[0-9A-Za-z]{49}$`), `${label} must look like ${kind}_ and 49 letters or digits`)

const fields = {
  schema: literal(1),
  server_url: ServerUrl,
  name: optional(text('Name', { max: 100 })),
  /** Which project's manifests this device accepts; if missing, the answer to enrollment or the first signed manifest decides. */
  project_id: optional(Id),
  hardware_model: pattern('hardware_model', /^[\x21-\x7e]{1,64}$/, 'Hardware model must be a model id without spaces'),
  enrollment_token: optional(token('enr', 'Enrollment token')),
  device_id: optional(Id),
  device_token: optional(token('dvc', 'Device token')),
  public_keys: size(array(PublicKey), 1, 8),
  persistent_directory: directory('Persistent directory'),
  temporary_directory: directory('Temporary directory'),
  update_mode: enums(updateModes),
  install_root: absolute('Install root'),
  slots: optional(object({ a: absolute('Slot a'), b: absolute('Slot b') })),
  reboot_command: optional(text('Reboot command', { max: 1024 })),
  polling_interval_s: whole('Polling interval', 30, 604_800),
  network_timeout_s: whole('Network timeout', 5, 600),
  download_retries: whole('Download retries', 1, 100),
  metrics_interval_s: whole('Metrics interval', 10, 3600),
  logs_enabled: boolean(),
  log_level: enums(logLevels),
  single_check: boolean(),
  stop_after: enums(stopAfters),
  fallback_manifest_url: optional(HttpsUrl),
  identity_path: optional(absolute('Identity path')),
}

/** device.json, as the generator creates it and `teasel-agent` reads it; an unknown key is an error. */
export const DeviceConfig = object(fields)
export type DeviceConfig = Infer<typeof DeviceConfig>

const problem = (field: string, code: string, message: string): FieldError => ({ field, code, message })

/** The rules across fields, worded for a person who edits the file. */
const across = (config: DeviceConfig): FieldError[] => {
  const found: FieldError[] = []
  const { device_id, device_token, enrollment_token, public_keys, slots, update_mode } = config
  const known = device_id !== undefined && device_token !== undefined
  if ((device_id === undefined) !== (device_token === undefined))
    found.push(
      problem(
        device_id === undefined ? 'device_id' : 'device_token',
        'required',
        'Device id and device token must be given together',
      ),
    )
  if (!known && enrollment_token === undefined)
    found.push(problem('enrollment_token', 'required', 'Enrollment token is required, or a device id with a device token'))
  if (known && enrollment_token !== undefined)
    found.push(problem('enrollment_token', 'excluded', 'Enrollment token must not be combined with a device id and token'))
  if (slots && update_mode !== 'ab_rootfs') found.push(problem('slots', 'excluded', 'Slots require the update mode ab_rootfs'))
  if (slots && slots.a === slots.b) found.push(problem('slots.b', 'distinct', 'Slot b must be another path than slot a'))
  for (const [at, key] of public_keys.entries())
    if (public_keys.findIndex(({ fingerprint }) => fingerprint === key.fingerprint) < at)
      found.push(problem(`public_keys.${at}`, 'duplicate', 'This key is already in the list'))
  return found
}

const keyProblems = async (keys: readonly PublicKey[]): Promise<FieldError[]> => {
  const found: FieldError[] = []
  for (const [at, key] of keys.entries()) {
    const fingerprint = await fingerprintOf(key)
    if (fingerprint === null)
      found.push(problem(`public_keys.${at}.public_key`, 'key', `Public key must be a raw ${key.algorithm} key`))
    else if (fingerprint !== key.fingerprint)
      found.push(
        problem(`public_keys.${at}.fingerprint`, 'fingerprint', `Fingerprint must be ${fingerprint}, the SHA-256 of this key`),
      )
  }
  return found
}

const withDefaults = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...configDefaults, ...value } : value

/** Reads device.json. Every problem names its field and the rule; only documented defaults are filled in. */
export const readConfig = async (value: unknown): Promise<{ config: DeviceConfig } | { problems: FieldError[] }> => {
  const [error, config] = validate(withDefaults(value), DeviceConfig)
  if (error) return { problems: fieldErrors(error) }
  const problems = [...across(config), ...(await keyProblems(config.public_keys))]
  return problems.length > 0 ? { problems } : { config }
}

/** `client.config_hash`, computed on both sides to show a difference from the generated file. */
export const configHash = (config: unknown): Promise<string> => sha256(utf8(canonicalize(config) ?? ''))
