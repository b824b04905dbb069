import { array, enums, type Infer, integer, object, optional, refine, string, type } from 'superstruct'
import { product } from './limits'
import { boundedInteger, pattern, text } from './rules'

/** What runs on the devices of a model: our own agent, or an unmodified hawkBit client. */
export const clientKinds = [product.slug, 'swupdate', 'rauc', 'zephyr', 'other'] as const
export type ClientKind = (typeof clientKinds)[number]
/** What confirms an update: the reported version, or the client's word alone. */
export const confirmations = ['version', 'client'] as const

/** The kinds whose word may count: the others report success before they restart. */
export const kindsConfirmedByClient: readonly ClientKind[] = ['swupdate', 'other']

export const ModelClient = type({
  kind: enums(clientKinds),
  confirm_by: enums(confirmations),
  /** The attribute that names the installed version. */
  version_attribute: string(),
  /** So long may a device take to confirm an update after its restart or its report of success. */
  confirm_within_s: integer(),
  /** The reported board names that fit; none: the id of the model. */
  boards: array(string()),
})
export type ModelClient = Infer<typeof ModelClient>

export const HardwareModel = type({
  id: string(),
  name: string(),
  platform: string(),
  slots: enums(['single', 'ab']),
  client: ModelClient,
})
export type HardwareModel = Infer<typeof HardwareModel>

export const standardClient: ModelClient = {
  kind: product.slug,
  confirm_by: 'version',
  version_attribute: 'sw_version',
  confirm_within_s: 3600,
  boards: [],
}

/** The client of a model; the standard one for a model that the project does not list. */
export const clientOf = (models: readonly HardwareModel[], id: string): ModelClient =>
  models.find((model) => model.id === id)?.client ?? standardClient

const ModelId = pattern('pattern', /^[a-z0-9][a-z0-9._-]{0,62}$/, 'Use lower-case letters, digits, dots, dashes and underscores')
const AttributeName = pattern(
  'pattern',
  /^[a-z][a-z0-9_.]{0,62}$/,
  'Use lower-case letters, digits, dots and underscores, starting with a letter',
)
const Board = pattern('pattern', /^[\x21-\x7e]{1,64}$/, 'Board names are 1 to 64 printable characters without spaces')

const isUnique = (values: readonly string[]) => new Set(values).size === values.length

const clientFields = object({
  kind: enums(clientKinds),
  confirm_by: optional(enums(confirmations)),
  version_attribute: optional(AttributeName),
  confirm_within_s: optional(boundedInteger('Time to confirm', 60, 604_800)),
  boards: optional(
    refine(
      refine(array(Board), 'too_many', (boards) => boards.length <= 32 || 'A model can have at most 32 boards'),
      'duplicate',
      (boards) => isUnique(boards) || 'Each board can be listed once',
    ),
  ),
})
const NewClient = refine(clientFields, 'confirm_by', ({ kind, confirm_by }, { path }) =>
  confirm_by !== 'client' || kindsConfirmedByClient.includes(kind)
    ? true
    : { path: [...path, 'confirm_by'], message: 'Only SWUpdate and other clients can confirm by their word' },
)

export const NewHardwareModel = object({
  id: ModelId,
  name: text('Name', { max: 64 }),
  platform: text('Platform', { max: 64 }),
  slots: enums(['single', 'ab']),
  /** Without it, a known model keeps its client, and a new one runs the Teasel agent. */
  client: optional(NewClient),
})
export type NewHardwareModel = Infer<typeof NewHardwareModel>

export const HardwareModels = refine(
  refine(array(NewHardwareModel), 'too_many', (models) => models.length <= 200 || 'A project can have at most 200 models'),
  'duplicate',
  (models) => isUnique(models.map(({ id }) => id)) || 'Each model id can be used once',
)
