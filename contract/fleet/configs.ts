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
import { boundedList, boundedRecord } from '../core/bounded'
import { endpoint, requires, inProject } from '../core/endpoint'
import { ConfigName, type CrossFieldRule, maxTrustedKeys, sharedFields, slotRules } from '../device/config-fields'
import { Id, Timestamp } from '../core/shapes'

const { device_id, device_token, ...always } = sharedFields
const Fields = object({
  name: ConfigName,
  enrollment: enums(['group', 'pre_enrolled']),
  ...always,
  device_id,
  device_token,
  public_key_ids: refine(boundedList(Id, maxTrustedKeys, `Choose at most ${maxTrustedKeys} keys`), 'required', (ids) => {
    if (ids.length === 0) return 'Add at least one key; without one the client refuses every update'
    return new Set(ids).size === ids.length || 'Choose each key once'
  }),
  trial: optional(boolean()),
})
export type DeviceConfigForm = Infer<typeof Fields>

const isTemporary = (path: string) => /^\/tmp(\/|$)/.test(path)
const needed = (field: 'device_id' | 'device_token', label: string): CrossFieldRule<DeviceConfigForm> => ({
  at: field,
  code: 'required',
  check: (form) => form.enrollment === 'group' || form[field] !== undefined || `${label} is required`,
})
const formRules: readonly CrossFieldRule<DeviceConfigForm>[] = [
  ...slotRules,
  needed('device_id', 'Device id'),
  needed('device_token', 'Device token'),
  // §9: the constant directory is a default for trials only.
  {
    at: 'persistent_directory',
    code: 'trial',
    check: ({ persistent_directory, trial }) =>
      trial === true ||
      !isTemporary(persistent_directory) ||
      'State in /tmp is lost at reboot: choose another directory, or mark it as a trial',
  },
]

/** The form of the config generator; the answer is a complete device.json. What it accepts, `DeviceConfig` accepts too. */
export const DeviceConfigForm = formRules.reduce(
  (struct, { at, code, check }) =>
    refine(struct, code, (form) => {
      const passed = check(form)
      return passed === true || [{ path: at.split('.'), message: passed }]
    }),
  Fields,
)

const Finding = type({ path: string(), level: enums(['error', 'warning']), text: string() })
export const createDeviceConfig = endpoint({
  method: 'POST',
  path: '/projects/:projectId/device_configs',
  summary: 'Create a device.json. For a group, only this answer contains its new enrollment token.',
  needs: requires(inProject, 'project:manage_devices'),
  tokens: false,
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
  body: object({ config: boundedRecord(string(), unknown(), 200) }),
  answer: type({ findings: array(Finding) }),
})
