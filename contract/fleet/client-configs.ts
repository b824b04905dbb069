import { array, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { ConfigName, sharedFields } from '../device/config-fields'
import { endpoint, inProject, requires } from '../core/endpoint'
import { pattern } from '../core/rules'
import { Timestamp } from '../core/shapes'

/** The clients whose files the generator writes. */
const configuredClients = ['swupdate', 'rauc', 'zephyr'] as const
export type ConfiguredClient = (typeof configuredClients)[number]

const Fields = object({
  name: ConfigName,
  client: enums(configuredClients),
  /** A token for all devices of a model, or the token of one device that was added before. */
  enrollment: enums(['group', 'pre_enrolled']),
  server_url: sharedFields.server_url,
  hardware_model: sharedFields.hardware_model,
  /** What the client names as its tenant; the token alone finds the project. */
  tenant: optional(pattern('tenant', /^[\w.~-]{1,64}$/, 'A tenant is 1 to 64 letters, digits and . _ ~ -')),
  device_id: sharedFields.device_id,
  device_token: optional(
    pattern(
      'token',
      /^(dvc_[0-9A-Za-z]{49}|dvs_[0-9A-Za-z]{28})$/,
      'Device token must be dvc_ or dvs_ with 49 or 28 letters or digits',
    ),
  ),
})

const needed = (field: 'device_id' | 'device_token', label: string) => (form: Infer<typeof Fields>) =>
  form.enrollment === 'group' || form[field] !== undefined || [{ path: [field], message: `${label} is required` }]

export const ClientConfigForm = refine(
  refine(Fields, 'required', needed('device_id', 'Device id')),
  'required',
  needed('device_token', 'Device token'),
)
export type ClientConfigForm = Infer<typeof ClientConfigForm>

/** A file of the device, or of the sources of its firmware. `path` is relative to the root; `mode` are its permissions. */
export const ClientFile = type({ path: string(), mode: integer(), text: string() })
export type ClientFile = Infer<typeof ClientFile>

export const createClientConfig = endpoint({
  method: 'POST',
  path: '/projects/:projectId/client_configs',
  summary: 'Create the files of a hawkBit client. For a group, only this answer contains its new enrollment token.',
  needs: requires(inProject, 'project:manage_devices'),
  tokens: false,
  audit: 'config.generate',
  rate: 'write',
  body: ClientConfigForm,
  answer: type({
    files: array(ClientFile),
    warnings: array(string()),
    enrollment_token_id: nullable(string()),
    /** Limits of the token in the files; null if they contain the token of one device. */
    enrollment_limits: nullable(type({ max_uses: nullable(integer()), expires_at: Timestamp })),
  }),
  status: 201,
})
