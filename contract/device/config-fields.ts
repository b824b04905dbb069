import { boolean, enums, object, optional, refine } from 'superstruct'
import { temporaryDirectory } from '../core/limits'
import { pattern, text, boundedInteger } from '../core/rules'
import { Id } from '../core/shapes'

export const updateModes = ['file', 'ab_rootfs'] as const
export const stopAfters = ['none', 'download', 'install'] as const
export const logLevels = ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'] as const
export type LogLevel = (typeof logLevels)[number]

/** Initial values of the form, and defaults of a hand-written file. */
export const configDefaults = {
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

const absolutePath = (label: string) =>
  refine(
    text(label, { max: 4096 }),
    'absolute',
    (path) => (path.startsWith('/') && !path.split('/').includes('..')) || `${label} must be an absolute path without '..'`,
  )
/** A directory of the agent: never the root directory. */
export const ownDirectory = (label: string) =>
  refine(absolutePath(label), 'not_root', (path) => !/^\/+$/.test(path) || `${label} must not be /`)

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

export const tokenOfKind = (kind: 'enr' | 'dvc', label: string) =>
  pattern('token', new RegExp(`^${kind}_[0-9A-Za-z]{49}$`), `${label} must look like ${kind}_ and 49 letters or digits`)

export const maxTrustedKeys = 8
export const ConfigName = text('Name', { max: 100 })

/** The fields that device.json and the form of the config generator have in common. */
export const sharedFields = {
  server_url: ServerUrl,
  hardware_model: pattern('hardware_model', /^[\x21-\x7e]{1,64}$/, 'Hardware model must be a model id without spaces'),
  device_id: optional(Id),
  device_token: optional(tokenOfKind('dvc', 'Device token')),
  persistent_directory: ownDirectory('Persistent directory'),
  install_root: absolutePath('Install root'),
  update_mode: enums(updateModes),
  slots: optional(object({ a: absolutePath('Slot a'), b: absolutePath('Slot b') })),
  reboot_command: optional(text('Reboot command', { max: 1024 })),
  /** A file with the serial number in its first line. */
  identity_path: optional(absolutePath('Identity path')),
  /** Where the agent looks for a signed manifest while the server cannot be reached. */
  fallback_manifest_url: optional(HttpsUrl),
  polling_interval_s: boundedInteger('Polling interval', 30, 604_800),
  network_timeout_s: boundedInteger('Network timeout', 5, 600),
  download_retries: boundedInteger('Download retries', 1, 100),
  metrics_interval_s: boundedInteger('Metrics interval', 10, 3600),
  logs_enabled: boolean(),
  log_level: enums(logLevels),
  single_check: boolean(),
  stop_after: enums(stopAfters),
}

/** A rule across fields; the message of a broken one belongs to the field `at`. */
export type CrossFieldRule<T> = { at: string; code: string; check: (value: T) => true | string }

type Slots = { slots?: { a: string; b: string } | undefined; update_mode: (typeof updateModes)[number] }

export const slotRules: readonly CrossFieldRule<Slots>[] = [
  {
    at: 'slots',
    code: 'excluded',
    check: ({ slots, update_mode }) => !slots || update_mode === 'ab_rootfs' || 'Slots belong to the update mode ab_rootfs',
  },
  {
    at: 'slots.b',
    code: 'distinct',
    check: ({ slots }) => !slots || slots.a !== slots.b || 'Slot b must be another path than slot a',
  },
]
