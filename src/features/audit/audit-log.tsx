import { useNavigate, useSearch } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { auditLogQuery, type AuditScope } from '../../api/queries/accounts/audit'
import { paces } from '../../api/refresh'
import { useFilterText } from '../../system/list/filter-text'
import { lazyPart } from '../../system/page/lazy'
import { useList } from '../../system/list/list'
import { ListFilter, ListSection } from '../../system/list/list-page'
import { useRouteScope } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { FilterChip } from '../../ui/overlay/dock'
import { Freshness } from '../../system/refresh/freshness'
import { Banner, EmptyState } from '../../ui/layout/notice'
import { PageHead, ToolRow } from '../../ui/layout/page'
import { actorName } from './audit-display'
import { type AuditSearch, readAuditSearch } from './audit-search'
import { AuditTable } from './audit-table'
import { ChainBadge } from './chain-badge'
import { ChainNotice } from './chain-notice'
import { formatDayRange } from './day-range'
import { ExportButton } from './export-button'
import { hasGaps } from './gaps'
import { VerifyButton } from './verify-button'

const AuditFilters = lazyPart(() => import('./audit-filters').then((part) => part.AuditFilters))
const EntryDrawer = lazyPart(() => import('./entry-drawer').then((part) => part.EntryDrawer))
const notice = css({ mb: '16' })
const others = css({ mb: '12', textStyle: 'small', color: 'muted' })
const filtersWait = css({ h: { base: 'controlTouch', md: 'controlSmall' } })

// The drawer is next to the list and takes space from it.
const besideDrawer = css({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  lg: { '&[data-beside]': { gridTemplateColumns: 'minmax(0, 1fr) calc({sizes.drawer} - {spacing.24})' } },
})

// Above the tools on a page whose head names something else.
const ownHead = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: '8', mb: '16' })

const ownActions = css({ display: 'flex', gap: '8' })

type Props = {
  scope: AuditScope
  /** The heading of the page; without it the log is a part of a page that has its own. */
  title?: string
}

/** An audit log, newest first, with the verification of its chain. */
export const AuditLog = ({ scope, title }: Props) => {
  const { api } = useSystem()
  const { entry: chosen, ...kept } = useSearch({ strict: false })
  const navigate = useNavigate()
  const filters = readAuditSearch(kept)
  const filter = useFilterText()
  const log = useList(auditLogQuery(api, scope, filters), { rows: (page) => page.entries, pace: paces.list })
  const { rows, first } = log
  const at = rows.findIndex((row) => row.id === chosen)
  const filtered = Object.keys(filters).length > 0
  const say = (change: AuditSearch | { [K in keyof AuditSearch]?: undefined }) =>
    void navigate({ to: '.', search: (now) => ({ ...now, ...change }), replace: true })
  const clear = () => {
    filter.clear()
    void navigate({ to: '.', search: {}, replace: true })
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
  const isPersonal = useRouteScope().scope === null
  const badge = first && <ChainBadge chain={first.chain} />
  const actions = (
    <>
      <VerifyButton scope={scope} />
      <ExportButton scope={scope} filters={filters} />
    </>
  )
  return (
    <>
      {title === undefined ? (
        <div className={ownHead}>
          <span>{badge}</span>
          <span className={ownActions}>{actions}</span>
        </div>
      ) : (
        <PageHead title={title} chips={badge} actions={actions} />
      )}
      <ListSection
        list={log}
        filtered={filtered}
        onClear={clear}
        tools={
          <>
            {first && <ChainNotice chain={first.chain} />}
            {first && chosen !== undefined && at < 0 && (
              <div className={notice}>
                <Banner kind="info">
                  The entry of this link is not among those shown. It may be older, or the filters leave it out.
                </Banner>
              </div>
            )}
            <ToolRow>
              <ListFilter label="Filter by text" filter={filter} wraps />
              {chips.map(
                ({ field, value, off }) =>
                  value !== undefined &&
                  value !== '' && <FilterChip key={field} field={field} value={value} onClear={() => say(off)} />,
              )}
              <Suspense fallback={<span className={filtersWait} aria-busy />}>
                <AuditFilters filters={filters} recent={first?.recent} onChange={say} />
              </Suspense>
              <Freshness query={log.query} />
            </ToolRow>
            {first && 'projectId' in scope && !filtered && hasGaps(rows, first.chain, !log.hasMore) && (
              <p className={others}>
                Missing numbers belong to other projects, or to the {isPersonal ? 'account' : 'organization'} itself: all entries
                of one {isPersonal ? 'person' : 'organization'} are numbered and verified together.
              </p>
            )}
          </>
        }
        keepTools
        emptyState={
          <EmptyState title="Not Found">
            Actions in this {'projectId' in scope ? 'project' : 'organization'} are recorded here permanently.
          </EmptyState>
        }
      >
        <div className={besideDrawer} data-beside={rows[at] ? true : undefined}>
          <AuditTable list={log} chosen={chosen} onOpen={(entry) => open(entry.id)} />
        </div>
        <Suspense>
          {rows[at] && (
            <EntryDrawer
              entry={rows[at]}
              scope={scope}
              onClose={() => open(undefined)}
              onNewer={step(at - 1)}
              onOlder={step(at + 1)}
            />
          )}
        </Suspense>
      </ListSection>
    </>
  )
}
