import { create, type Infer, is, optional, type } from 'superstruct'
import { DeviceFilter } from '../../../contract/devices'
import { listQuery } from '../../../contract/lists'

const { connectivity, update, health, version, tag, hardware_model, import_id } = DeviceFilter

/** The filters and sort order of the device list: kept in the URL, so that a view can be shared. */
export const DevicesSearch = type({
  q: listQuery.q,
  sort: optional(listQuery.sort),
  connectivity,
  update,
  health,
  version,
  tag,
  hardware_model,
  import_id,
})
export type DevicesSearch = Infer<typeof DevicesSearch>

const fields = Object.keys(DevicesSearch.schema) as (keyof DevicesSearch)[] // the keys of its own schema

/** Invalid values are ignored; the others count. */
export const readDevicesSearch = (search: Record<string, unknown>): DevicesSearch => {
  const kept: Record<string, unknown> = {}
  for (const field of fields) {
    const one = { [field]: search[field] }
    if (search[field] !== undefined && is(one, DevicesSearch)) kept[field] = search[field]
  }
  return create(kept, DevicesSearch)
}
