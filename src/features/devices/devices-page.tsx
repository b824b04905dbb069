import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { devicesQuery } from '../../api/queries/fleet/devices'
import { tagsQuery } from '../../api/queries/fleet/tags'
import { paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { useFilterText } from '../../system/list/filter-text'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { useList } from '../../system/list/list'
import { ListFilter, ListPage } from '../../system/list/list-page'
import { useSystem } from '../../system/system'
import { FilterChip } from '../../ui/overlay/dock'
import { FacetSkeletons, FacetStrip } from '../../ui/list/facets'
import { Freshness } from '../../system/refresh/freshness'
import { EmptyState } from '../../ui/layout/notice'
import { PageHead, ToolRow } from '../../ui/layout/page'
import { WhileInSight } from '../../ui/layout/while-in-sight'
import { useSelection } from './list/use-selection'
import { DeletedLink, DeviceLinks, ImportLink } from './list/device-links'
import { DevicesMenu } from './list/devices-menu'
import { DeviceTable } from './list/device-table'
import { AddFilter } from './list/add-filter'
import { ColumnChooser } from './list/column-chooser'
import { facetLabels, facetsOf } from './list/device-facets'
import { activeFilters } from './list/device-filters'
import { type DevicesChange, readDevicesSearch, toTexts } from './list/devices-search'
import { FilterSheet } from './list/filter-sheet'
import { fromQueryText } from './list/list-layout'
import { filterKey } from './list/row-keys'
import { useCurrentView, ViewButton, type ViewButtonProps } from './list/view-button'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')

const DeviceBulkBar = lazyPart(() => import('./bulk/bulk-bar').then((part) => part.DeviceBulkBar))

const AddSimulatedDevices = lazyPart(() => import('./list/simulated-devices').then((part) => part.AddSimulatedDevices))
const SimulatedProgress = lazyPart(() => import('./list/simulated-devices').then((part) => part.SimulatedProgress))

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(devicesQuery(api, params.projectId, readDevicesSearch({ ...location.search })))

/** All devices of a project: counts by field, then the rows. */
export default function DevicesPage() {
  const { api, environment } = useSystem()
  const { projectId } = route.useParams()
  const search = readDevicesSearch(route.useSearch())
  const { view: viewId } = route.useSearch()
  const current = useCurrentView(projectId, typeof viewId === 'string' ? viewId : undefined, search)
  const navigate = route.useNavigate()
  const filter = useFilterText()
  const list = useList(devicesQuery(api, projectId, search), { rows: (page) => page.devices, pace: paces.fleet })
  const { first } = list
  // A view, or an address, keeps the tags that were deleted.
  const { data: tags } = useQuery({ ...tagsQuery(api, projectId), enabled: search.tag !== undefined })
  const active = activeFilters(search, tags, first?.devices[0]?.installed?.name)
  const filtered = active.length > 0 || search.q !== undefined
  const change = (to: DevicesChange) => void navigate({ search: (kept) => ({ ...kept, ...toTexts(to) }), replace: true })
  const narrow = (field: string, value: string) => {
    const isChosen = [search[field as keyof typeof search]].flat().includes(value)
    const isExcluded = field === 'tag' && search.tag_mode === 'none'
    change({ ...(field === 'tag' && { tag_mode: undefined }), [field]: isChosen && !isExcluded ? undefined : value })
  }
  const clear = () => {
    filter.clear()
    void navigate({
      search: ({ sort, view }) => ({ ...(sort !== undefined && { sort }), ...(view !== undefined && { view }) }),
      replace: true,
    })
  }
  const show: ViewButtonProps['onShow'] = (to) => {
    const kept = to ? fromQueryText(to.query) : {}
    void navigate({ search: { ...kept, ...(to && { view: to.id }) } })
  }
  const isLocal = environment.name === 'local'
  const none = list.isEmpty && !filtered
  const whole = first?.facets.connectivity.reduce((sum, one) => sum + one.count, 0)
  const { sort: _, ...filters } = search
  const selection = useSelection(list.rows, filters, whole ?? 0)
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
              {isLocal && (
                <Suspense>
                  <AddSimulatedDevices projectId={projectId} />
                </Suspense>
              )}
            </>
          }
        >
          Create a configuration, copy it to a device and start the client. The device enrolls by itself.
        </EmptyState>
      }
      tools={
        <>
          {isLocal && (
            <Suspense>
              <SimulatedProgress projectId={projectId} />
            </Suspense>
          )}
          <ToolRow>
            <ListFilter label="Filter by name" filter={filter} shortcut={filterKey} />
            {first && (
              <FilterSheet facets={facetsOf(first.facets, search)} count={active.length} onChoose={narrow} onClear={clear} />
            )}
            {active.map(({ key, field, value, clear: without }) => (
              <FilterChip key={key} field={field} value={value} onClear={() => change(without)} />
            ))}
            <AddFilter projectId={projectId} devices={list.rows} onAdd={change} />
            <Freshness query={list.query} />
            <ViewButton projectId={projectId} search={search} current={current} onShow={show} />
            <ColumnChooser layout={current.layout} onLayout={current.setLayout} />
            <DevicesMenu search={search} total={whole} />
          </ToolRow>
          {first ? (
            <WhileInSight>
              <FacetStrip facets={facetsOf(first.facets, search)} onChoose={narrow} format={formatCount} />
            </WhileInSight>
          ) : (
            <FacetSkeletons labels={facetLabels} />
          )}
        </>
      }
    >
      {/* Before the rows: Tab after a row leads to the next one, and those below are rendered as it does. */}
      <Suspense>{selection.count > 0 && <DeviceBulkBar projectId={projectId} selection={selection} />}</Suspense>
      <DeviceTable
        list={list}
        selection={selection}
        layout={current.layout}
        onLayout={current.setLayout}
        sort={search.sort ?? 'name'}
        onSort={(sort) => void navigate({ search: (kept) => ({ ...kept, sort }), replace: true })}
      />
    </ListPage>
  )
}
