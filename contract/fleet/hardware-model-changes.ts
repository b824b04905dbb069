import { enums, type Infer, object, optional, refine } from 'superstruct'
import { clientKinds, confirmations, kindsConfirmedByClient } from '../ddi/model-client'
import { boundedList } from '../core/bounded'
import { boundedInteger, pattern, text } from '../core/rules'

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
      boundedList(Board, 32, 'A model can have at most 32 boards'),
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
  boundedList(NewHardwareModel, 200, 'A project can have at most 200 models'),
  'duplicate',
  (models) => isUnique(models.map(({ id }) => id)) || 'Each model id can be used once',
)
