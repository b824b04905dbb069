import { array, boolean, type Infer, integer, nullable, object, optional, string, type, unknown } from 'superstruct'
import { controllerIdForm } from '../ddi/api'
import { DeviceTags } from './devices'
import { endpoint, inProject, requires } from '../core/endpoint'
import { boundedRecord } from '../core/bounded'
import { booleanParam, pattern, text } from '../core/rules'
import { Author, Id, Timestamp } from '../core/shapes'

/** Limits of one file; `errors` is the number that an answer lists. */
export const importLimits = { lines: 50_000, bytes: 33_554_432, lineCharacters: 16_384, errors: 1000 } as const

/** Columns of a CSV file. A column `attributes.<name>` holds one attribute; tags are separated by spaces. */
export const importColumns = ['controller_id', 'name', 'security_token', 'hardware_model', 'tags'] as const

/** A token of another server below this length (131 bits in base 62) is marked as weak. */
export const strongTokenLength = 22

/** One device of the file: a line of NDJSON, or a row of CSV whose empty cells are left out. */
export const ImportRow = object({
  controller_id: pattern('controller_id', controllerIdForm, 'A controller id is 1 to 128 visible characters without / ? # %'),
  /** Without it, the controller id. */
  name: optional(text('Name', { max: 100 })),
  security_token: optional(pattern('token', /^[\x21-\x7e]{1,512}$/, 'A token is 1 to 512 visible characters without spaces')),
  hardware_model: optional(text('Hardware model', { max: 63 })),
  tags: optional(DeviceTags),
  attributes: optional(boundedRecord(string(), unknown(), 1000)),
})
export type ImportRow = Infer<typeof ImportRow>

/** A line that is not imported: the field and the rule that it breaks. */
const ImportError = type({
  line: integer(),
  controller_id: nullable(string()),
  field: string(),
  code: string(),
  message: string(),
})
export type ImportError = Infer<typeof ImportError>

export const ImportResult = type({
  dry_run: boolean(),
  /** Null if no device was created. */
  import_id: nullable(Id),
  lines: integer(),
  created: integer(),
  /** Lines whose device exists with the same token. */
  unchanged: integer(),
  failed: integer(),
  weak_tokens: integer(),
  without_token: integer(),
  /** The first `importLimits.errors`, in the order of the file. */
  errors: array(ImportError),
})
export type ImportResult = Infer<typeof ImportResult>

/** 402 if the plan has no room for all new devices. */
export const importDevices = endpoint({
  method: 'POST',
  path: '/projects/:projectId/devices/import',
  summary: 'Import devices of a hawkBit server with their tokens from CSV or NDJSON. Lines with errors are left out and named.',
  needs: requires(inProject, 'project:manage_devices', 'project:manage_access'),
  audit: 'device.import',
  rate: 'write',
  accepts: 'rows',
  maxBytes: importLimits.bytes,
  longBody: true,
  needsSpace: true,
  query: object({
    dry_run: optional(booleanParam),
    /** Of lines that name none: other servers do not know our models. */
    hardware_model: optional(text('Hardware model', { max: 63 })),
    file_name: optional(text('File name', { max: 200 })),
  }),
  answer: ImportResult,
})

export const DeviceImport = type({
  id: Id,
  created_at: Timestamp,
  created_by: Author,
  file_name: nullable(string()),
  /** Devices that it created, without those that were deleted since. */
  devices: integer(),
  /** Those of them that have contacted the server. */
  seen: integer(),
})
export type DeviceImport = Infer<typeof DeviceImport>

export const deviceImports = endpoint({
  method: 'GET',
  path: '/projects/:projectId/device_imports',
  summary: 'List the last 100 imports of devices, with the number of devices that have contacted the server since.',
  needs: requires(inProject, 'device:view'),
  audit: 'none',
  rate: 'read',
  answer: type({ imports: array(DeviceImport) }),
})

export const undoDeviceImport = endpoint({
  method: 'POST',
  path: '/projects/:projectId/device_imports/:deviceImportId/undo',
  summary:
    'Delete the devices of an import that have never contacted the server. They can be restored like other deleted devices.',
  needs: requires(inProject, 'project:manage_devices'),
  audit: 'device.delete',
  rate: 'write',
  answer: type({ deleted: integer() }),
})
