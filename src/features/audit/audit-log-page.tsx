import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { auditLogQuery } from '../../api/queries/audit'
import { dueIn, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import { useFilterText } from '../../system/filter-text'
import type { LoaderArgs } from '../../system/guard'
import { lazyPart } from '../../system/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { FilterChip } from '../../ui/dock'
import { Freshness } from '../../ui/freshness'
import { SearchInput } from '../../ui/input'
import { Banner, EmptyState } from '../../ui/notice'
import { Page, PageHead, ToolRow } from '../../ui/page'
import { actorName } from './audit-display'
import { type AuditSearch, readAuditSearch } from './audit-search'
import { AuditTable } from './audit-table'
import { ChainBadge } from './chain-badge'
import { ChainNotice } from './chain-notice'
import { formatDayRange } from './day-range'
import { ExportButton } from './export-button'

const AuditFilters = lazyPart(() => import('./audit-filters').then((part) => part.AuditFilters))
const EntryDrawer = lazyPart(() => import('./entry-drawer').then((part) => part.EntryDrawer))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/auditLog')
const search = css({ w: { base: 'full', md: '232' } })
const filtersWait = css({ h: { base: 'controlTouch', md: 'controlSmall' } })

// The drawer is next to the list and takes space from it.
const list = css({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  lg: { '&[data-beside]': { gridTemplateColumns: 'minmax(0, 1fr) calc({sizes.drawer} - {spacing.24})' } },
})

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(auditLogQuery(api, params.projectId, readAuditSearch({ ...location.search })))

/** The audit log of a project, newest first, with the verification of its chain. */
export default function AuditLogPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const { entry: chosen, ...kept } = route.useSearch()
  const navigate = route.useNavigate()
  const filters = readAuditSearch(kept)
  const filter = useFilterText()
  const query = useInfiniteQuery({
    ...auditLogQuery(api, projectId, filters),
    refetchInterval: ({ state }) => dueIn(state, paces.list),
  })
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.entries) ?? []
  const [first] = data?.pages ?? []
  const at = rows.findIndex((row) => row.id === chosen)
  const narrowed = Object.keys(filters).length > 0
  const say = (change: AuditSearch | { [K in keyof AuditSearch]?: undefined }) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true })
  const clear = () => {
    filter.clear()
    void navigate({ search: {}, replace: true })
  }
  const open = (id: string | undefined) => say({ entry: id })
  const step = (to: number) => {
    const row = rows[to]
    return row && (() => open(row.id))
  }
  const actor = first?.recent.actors.find(({ id }) => id === filters.actor_id)
  const target = rows.find(({ target: one }) => one.id === filters.target_id)?.target.name
  const chips = [
    { field: 'Date', value: formatDayRange(filters.from, filters.to), off: { from: undefined, to: undefined } },
    { field: 'Action', value: filters.action, off: { action: undefined } },
    {
      field: 'Actor',
      value: filters.actor_id && (actor ? actorName({ ...actor, email: null }) : filters.actor_id),
      off: { actor_id: undefined },
    },
    {
      field: 'Target',
      value: filters.target_id === undefined ? filters.target_kind : (target ?? filters.target_id),
      off: { target_id: undefined, target_kind: undefined },
    },
    { field: 'Result', value: filters.result, off: { result: undefined } },
  ]
  const head = (
    <PageHead
      title="Audit Log"
      chips={first && <ChainBadge chain={first.chain} />}
      actions={<ExportButton projectId={projectId} filters={filters} />}
    />
  )
  if (error && rows.length === 0)
    return (
      <Page>
        {head}
        <FailureBox error={error} onRetry={() => void refetch()} />
      </Page>
    )
  return (
    <Page>
      {head}
      {error && (
        <Banner kind="error" action={{ label: 'Try again', onClick: () => void refetch() }}>
          The last refresh failed.
        </Banner>
      )}
      {first && <ChainNotice chain={first.chain} />}
      <ToolRow>
        <SearchInput small className={search} label="Filter by text" {...filter.input} />
        {chips.map(
          ({ field, value, off }) =>
            value !== undefined &&
            value !== '' && <FilterChip key={field} field={field} value={value} onClear={() => say(off)} />,
        )}
        <Suspense fallback={<span className={filtersWait} aria-busy />}>
          <AuditFilters filters={filters} recent={first?.recent} onChange={say} />
        </Suspense>
        <Freshness query={query} />
      </ToolRow>
      {data && rows.length === 0 ? (
        <EmptyState
          small={narrowed}
          title="Not Found"
          action={narrowed ? <Button onClick={clear}>Clear filters</Button> : undefined}
        >
          {!narrowed && 'Actions in this project are recorded here permanently.'}
        </EmptyState>
      ) : (
        <div className={list} data-beside={rows[at] ? true : undefined}>
          <AuditTable
            rows={rows}
            pending={isPending}
            chosen={chosen}
            onOpen={(entry) => open(entry.id)}
            onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
          />
        </div>
      )}
      <Suspense>
        {rows[at] && (
          <EntryDrawer entry={rows[at]} onClose={() => open(undefined)} onNewer={step(at - 1)} onOlder={step(at + 1)} />
        )}
      </Suspense>
    </Page>
  )
}
