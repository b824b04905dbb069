import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Infer } from 'superstruct'
import { object } from 'superstruct'
import {
  attentionFilters,
  type AttributeFilters,
  connectivities,
  type Device,
  DeviceFilter,
  devices,
  healths,
  lifecycles,
  tagModes,
  updateGroups,
} from '../../contract/fleet/devices'
import type { BulkFilter } from '../../contract/fleet/device-jobs'
import type { Context } from '../core/context'
import { readPages } from '../core/pages'

const Filter = object(DeviceFilter)
type Filter = Infer<typeof Filter>

type Renamed =
  | 'hardware_model'
  | 'import_id'
  | 'release_id'
  | 'deleted'
  | 'tag_mode'
  | 'version_lt'
  | 'version_gt'
  | 'trusts_key'
  | 'last_seen_before'
export type FilterOptions = Omit<Filter, Renamed> & {
  model?: string
  tagMode?: (typeof tagModes)[number]
  versionLt?: string
  versionGt?: string
  trustsKey?: string
  lastSeenBefore?: string
  attr?: AttributeFilters
  import?: string
  release?: string
  deleted?: boolean
  search?: string
  sort?: string
}

const addTag = (tag: string, before: string[] = []): string[] => [...before, tag]

const addAttribute = (given: string, before: AttributeFilters = {}): AttributeFilters => {
  const at = given.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Use name=value.')
  return { ...before, [`attr.${given.slice(0, at)}`]: given.slice(at + 1) }
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
    .option('--version-lt <number>', 'installed version below this number')
    .option('--version-gt <number>', 'installed version above this number')
    .option('--release <id>', 'devices that run this release')
    .option('--tag <tag>', 'devices with this tag; may be repeated', addTag)
    .addOption(new Option('--tag-mode <mode>', 'with any, all or none of the tags').choices(tagModes))
    .addOption(new Option('--attention <reason>', 'devices that need attention, or that flap').choices(attentionFilters))
    .option('--quarantined', 'devices in quarantine')
    .option('--trusts-key <fingerprint>', 'devices that report that they trust this key')
    .option('--attr <name=value>', 'value of an attribute; may be repeated', addAttribute)
    .option('--last-seen-before <time>', 'devices without a contact since, such as 2026-11-20T15:00:00+00:00')
    .option('--import <id>', 'devices that this import has created')

/** The same, and those that only a list has. */
export const withListFilters = (command: Command): Command =>
  withFilters(command)
    .option('--deleted', 'deleted devices that can be restored')
    .option('--sort <field>', 'field of the list, with a minus for descending')

const toQuery = ({ model, import: imported, release, deleted, search, sort, ...same }: FilterOptions) => {
  const { connectivity, lifecycle, health, update, version, tag, quarantined, attention, attr } = same
  const query = {
    ...attr,
    connectivity,
    lifecycle,
    health,
    update,
    version,
    tag,
    tag_mode: same.tagMode,
    version_lt: same.versionLt,
    version_gt: same.versionGt,
    quarantined,
    attention,
    trusts_key: same.trustsKey,
    last_seen_before: same.lastSeenBefore,
    hardware_model: model,
    import_id: imported,
    release_id: release,
    q: search,
    sort,
  }
  const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  return { ...(given as Filter & AttributeFilters), ...(deleted && { deleted: 'true' as const }) }
}

/** The filter of a bulk change, and how many devices match it now. */
export const countMatching = async (
  { api, projectId }: Context,
  options: Omit<FilterOptions, 'sort' | 'deleted'>,
): Promise<{ filter: BulkFilter; count: number; first: Device[] }> => {
  const filter = toQuery(options) as BulkFilter
  const found = await api.call(devices, { projectId: await projectId() }, { query: { ...filter, limit: 5 } })
  const counted = found.facets.connectivity.reduce((sum, one) => sum + one.count, 0)
  return { filter, count: found.total ?? counted, first: found.devices }
}

export const listDevices = async ({ api, projectId }: Context, options: FilterOptions, limit: number): Promise<Device[]> => {
  const params = { projectId: await projectId() }
  return readPages(limit, async (page) => {
    const answer = await api.call(devices, params, { query: { ...toQuery(options), ...page } })
    return { items: answer.devices, next: answer.next_cursor }
  })
}
