import { type Infer, optional, refine, type Struct, validate } from 'superstruct'
import { type AttributeFilters, DeviceFilter, withAttributes } from '../../../../contract/fleet/devices'
import { listQuery } from '../../../../contract/core/lists'
import { columns } from './device-columns'

const { deleted: _deleted, ...filters } = DeviceFilter
const sortable = new Set(['name', ...Object.values(columns).flatMap(({ sort = [] }) => sort)])
const Sort = refine(listQuery.sort, 'column', (sort) => sort === undefined || sortable.has(sort.replace('-', '')))
const fields = { q: listQuery.q, sort: optional(Sort), ...filters }

/** The filters and sort order of the device list: kept in the URL, so that a view can be shared. */
const DevicesSearch = withAttributes(fields)
export type DevicesSearch = Infer<typeof DevicesSearch>
export type DevicesChange = { [F in keyof DevicesSearch]?: DevicesSearch[F] | undefined }

const isKnown = (name: string) => Object.hasOwn(fields, name) || name.startsWith('attr.')

/** A change of the filters as it would be kept, or what is wrong with it. */
export const checkFilters = (search: Record<string, unknown>): [string] | [undefined, DevicesSearch] => {
  const [error, value] = validate(search, DevicesSearch as Struct<DevicesSearch>, { coerce: true })
  return error ? [error.message] : [undefined, value]
}

/** Invalid values are ignored; the others count. */
export const readDevicesSearch = (search: Record<string, unknown>): DevicesSearch => {
  let kept: DevicesSearch = {}
  for (const [name, value] of Object.entries(search)) {
    if (!isKnown(name) || value === undefined) continue
    const [, one] = checkFilters({ [name]: value })
    kept = { ...kept, ...one }
  }
  return kept
}

/** A change as parameters of the URL. */
export const toTexts = (change: DevicesChange): Record<string, string | string[] | undefined> =>
  Object.fromEntries(
    Object.entries(change).map(([name, value]) => [
      name,
      Array.isArray(value) ? value : value === undefined ? value : String(value),
    ]),
  )

const isAttribute = (name: string): name is keyof AttributeFilters => name.startsWith('attr.')

/** The filters by attributes, with their names. */
export const attributesOf = (search: DevicesSearch): [parameter: keyof AttributeFilters, value: string][] =>
  Object.entries(search).flatMap(([name, value]) => (isAttribute(name) && typeof value === 'string' ? [[name, value]] : []))
