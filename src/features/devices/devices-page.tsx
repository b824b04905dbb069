import { getRouteApi } from '@tanstack/react-router'
import { devicesQuery } from '../../api/queries/devices'
import { paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { useFilterText } from '../../system/filter-text'
import type { LoaderArgs } from '../../system/guard'
import { useList } from '../../system/list'
import { ListFilter, ListPage } from '../../system/list-page'
import { useSystem } from '../../system/system'
import { FilterChip } from '../../ui/dock'
import { FacetSkeletons, FacetStrip } from '../../ui/facets'
import { Freshness } from '../../ui/freshness'
import { EmptyState } from '../../ui/notice'
import { PageHead, ToolRow } from '../../ui/page'
import { DeletedLink, DeviceLinks, ImportLink } from './device-links'
import { DeviceTable } from './device-table'
import { facetLabels, facetsOf, facetLabel } from './device-facets'
import { FilterSheet } from './filter-sheet'
import { type DevicesSearch, readDevicesSearch } from './devices-search'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')

const chips = [
  ['connectivity', 'Connectivity'],
  ['update', 'Update'],
  ['health', 'Health'],
  ['version', 'Version'],
  ['tag', 'Tag'],
  ['hardware_model', 'Model'],
  ['import_id', 'Import'],
] as const satisfies readonly (readonly [keyof DevicesSearch, string])[]

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(devicesQuery(api, params.projectId, readDevicesSearch({ ...location.search })))

/** All devices of a project: counts by field, then the rows. */
export default function DevicesPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const search = readDevicesSearch(route.useSearch())
  const navigate = route.useNavigate()
  const filter = useFilterText()
  const list = useList(devicesQuery(api, projectId, search), { rows: (page) => page.devices, pace: paces.fleet })
  const { first } = list
  const filtered = chips.some(([field]) => search[field] !== undefined) || search.q !== undefined
  const narrow = (field: string, value: string | undefined) =>
    void navigate({
      search: (kept) => ({ ...kept, [field]: kept[field as keyof DevicesSearch] === value ? undefined : value }),
      replace: true,
    })
  const clear = () => {
    filter.clear()
    void navigate({ search: ({ sort }) => ({ ...(sort !== undefined && { sort }) }), replace: true })
  }
  const none = list.isEmpty && !filtered
  const whole = first?.facets.connectivity.reduce((sum, one) => sum + one.count, 0)
  return (
    <ListPage
      list={list}
      filtered={filtered}
      onClear={clear}
      head={
        <PageHead
          title="Devices"
          count={whole === undefined || none ? undefined : formatCount(whole)}
          actions={none ? undefined : <DeviceLinks inHead />}
        />
      }
      emptyState={
        <EmptyState
          title="Not Found"
          action={
            <>
              <DeviceLinks />
              <ImportLink />
              <DeletedLink />
            </>
          }
        >
          Create a configuration, copy it to a device and start the client. The device enrolls by itself.
        </EmptyState>
      }
      tools={
        <>
          <ToolRow>
            <ListFilter label="Filter by name" filter={filter} />
            {first && (
              <FilterSheet
                facets={facetsOf(first.facets, search)}
                count={chips.filter(([field]) => search[field] !== undefined).length}
                onChoose={narrow}
                onClear={clear}
              />
            )}
            {chips.map(([field, label]) => {
              const value = search[field]
              return (
                value !== undefined && (
                  <FilterChip
                    key={field}
                    field={label}
                    value={facetLabel(field, value)}
                    onClear={() => narrow(field, undefined)}
                  />
                )
              )
            })}
            <Freshness query={list.query} />
            <ImportLink />
            <DeletedLink />
          </ToolRow>
          {first ? (
            <FacetStrip facets={facetsOf(first.facets, search)} onChoose={narrow} format={formatCount} />
          ) : (
            <FacetSkeletons labels={facetLabels} />
          )}
        </>
      }
    >
      <DeviceTable
        list={list}
        sort={search.sort ?? 'name'}
        onSort={(sort) => void navigate({ search: (kept) => ({ ...kept, sort }), replace: true })}
      />
    </ListPage>
  )
}
