import { array, boolean, enums, type Infer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, inProject, type Needs, onObject, requires } from '../core/endpoint'
import { boundedList } from '../core/bounded'
import { boundedInteger, text } from '../core/rules'
import { entity, Id } from '../core/shapes'

/** Columns of the device list beside the name, which is always first. */
export const deviceColumns = [
  'serial_number',
  'hardware_model',
  'lifecycle',
  'tags',
  'version',
  'update',
  'health',
  'connectivity',
  'enrolled_at',
  'created_at',
  'last_seen_at',
] as const
export type DeviceColumn = (typeof deviceColumns)[number]

/** In CSS pixels. */
export const columnWidths = { min: 48, max: 640 } as const
/** A person may keep so many views of a project. */
export const maxSavedViews = 50

const Columns = refine(
  boundedList(
    object({ name: enums(deviceColumns), width: nullable(boundedInteger('Width', columnWidths.min, columnWidths.max)) }),
    deviceColumns.length,
    'Name each column once',
  ),
  'repeated',
  (columns) => new Set(columns.map(({ name }) => name)).size === columns.length || 'Name each column once',
)

const fields = {
  name: text('Name', { max: 64 }),
  /** Filters and sort order as in the address of the list, without a question mark. */
  query: text('Query', { min: 0, max: 4000 }),
  /** In their order; a width of null is the default. */
  columns: Columns,
  dense: boolean(),
  /** Whether all people of the project see it. */
  shared: boolean(),
}
export const NewSavedView = object(fields)
export type NewSavedView = Infer<typeof NewSavedView>

export const SavedView = type({
  ...entity,
  ...fields,
  columns: array(type({ name: string(), width: nullable(boundedInteger('Width', columnWidths.min, columnWidths.max)) })),
  project_id: Id,
  owner: type({ id: Id, name: string() }),
})
export type SavedView = Infer<typeof SavedView>

/** A view is changed by its maker, and a shared one also by those who manage devices. */
const write: Needs = {
  kind: 'self',
  scope: onObject('saved_view', 'savedViewId'),
  or: ['project:manage_devices'],
  and: ['device:view'],
}

export const savedViews = endpoint({
  method: 'GET',
  path: '/projects/:projectId/saved_views',
  summary: 'List the saved views of the device list that are the own ones or shared, by name.',
  needs: requires(inProject, 'device:view'),
  tokens: false,
  audit: 'none',
  rate: 'read',
  answer: type({ saved_views: array(SavedView) }),
})
export const createSavedView = endpoint({
  method: 'POST',
  path: '/projects/:projectId/saved_views',
  summary: 'Save a view of the device list: filters, sort order and columns. 409 too_many_views.',
  needs: requires(inProject, 'device:view'),
  tokens: false,
  audit: 'none',
  rate: 'write',
  body: NewSavedView,
  answer: SavedView,
  status: 201,
})
export const updateSavedView = endpoint({
  method: 'PATCH',
  path: '/saved_views/:savedViewId',
  summary: 'Change a saved view.',
  needs: write,
  audit: 'none',
  rate: 'write',
  conditional: true,
  body: object({
    name: optional(fields.name),
    query: optional(fields.query),
    columns: optional(fields.columns),
    dense: optional(fields.dense),
    shared: optional(fields.shared),
  }),
  answer: SavedView,
})
export const deleteSavedView = endpoint({
  method: 'DELETE',
  path: '/saved_views/:savedViewId',
  summary: 'Delete a saved view.',
  needs: write,
  audit: 'none',
  rate: 'write',
  answer: 'none',
})
