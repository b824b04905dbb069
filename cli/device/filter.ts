import { type Command, Option } from 'commander'
import type { Infer } from 'superstruct'
import { object } from 'superstruct'
import { connectivities, type Device, DeviceFilter, devices, healths, lifecycles, updateGroups } from '../../contract/devices'
import type { Context } from '../core/context'
import { readPages } from '../core/pages'

const Filter = object(DeviceFilter)
type Filter = Infer<typeof Filter>

export type FilterOptions = Omit<Filter, 'hardware_model' | 'import_id' | 'deleted'> & {
  model?: string
  import?: string
  deleted?: boolean
  search?: string
  sort?: string
}

/** The filters of the page of devices. */
export const withFilters = (command: Command): Command =>
  command
    .option('--search <text>', 'text in the name or serial number')
    .addOption(new Option('--connectivity <state>').choices(connectivities))
    .addOption(new Option('--lifecycle <state>').choices(lifecycles))
    .addOption(new Option('--health <state>').choices(healths))
    .addOption(new Option('--update <group>').choices(updateGroups))
    .option('--model <model>', 'hardware model')
    .option('--version <version>', 'installed version')
    .option('--tag <tag>', 'devices with this tag')
    .option('--import <id>', 'devices that this import has created')
    .option('--deleted', 'deleted devices that can be restored')
    .option('--sort <field>', 'field of the list, with a minus for descending')

const toQuery = ({ model, import: imported, deleted, search, sort, ...same }: FilterOptions) => {
  const { connectivity, lifecycle, health, update, version, tag } = same
  const query = {
    connectivity,
    lifecycle,
    health,
    update,
    version,
    tag,
    hardware_model: model,
    import_id: imported,
    q: search,
    sort,
  }
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  return { ...(given as Filter), ...(deleted && { deleted: 'true' as const }) }
}

export const listDevices = async ({ api, projectId }: Context, options: FilterOptions, limit: number): Promise<Device[]> => {
  const params = { projectId: await projectId() }
  return readPages(limit, async (page) => {
    const answer = await api.call(devices, params, { query: { ...toQuery(options), ...page } })
    return { items: answer.devices, next: answer.next_cursor }
  })
}
