import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LogWindow } from '../../../api/queries/fleet/device-logs'
import { formatExact } from '../../../lib/dates'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { isPageFocused } from '../../../lib/page-focus'
import { FailureBox } from '../../../system/failure/failure-box'
import { useFilterText } from '../../../system/list/filter-text'
import { lazyPart } from '../../../system/page/lazy'
import { ListFilter } from '../../../system/list/list-page'
import { Button } from '../../../ui/button'
import { Switch } from '../../../ui/form/choice'
import { CopyButton } from '../../../ui/text/copy-button'
import { FilterChip } from '../../../ui/overlay/dock'
import { Banner, EmptyState } from '../../../ui/layout/notice'
import { ToolRow } from '../../../ui/layout/page'
import { Shape } from '../../../ui/layout/shape'
import { RelativeTime } from '../../../ui/text/time'
import { log } from './log.recipe'
import { formatLogTime, toLineText, toLogItems } from './log-items'
import { type LogHandle, LogLines, type LogRange, LogSkeleton } from './log-lines'
import { LogVolume } from './log-volume'
import { type LogSearch, toLogAnchor, toLogFilters } from './logs-search'
import { useLogWindow } from './use-log-window'

// Menus and popovers come after the lines.
const LogTools = lazyPart(() => import('./log-tools').then((part) => part.LogTools))
const LogExport = lazyPart(() => import('./log-export').then((part) => part.LogExport))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs')

/** Steps of what the strip shows as seen, and how often it follows, in milliseconds: not each scrolled row is drawn. */
const seenStepMs = 30_000
const seenEveryMs = 200
/** Of the end of the strip, while a place in the past is read. */
const endStepMs = 900_000
const rounded = (ms: number) => Math.floor(ms / seenStepMs) * seenStepMs

const keptText = ({ days, lines }: LogWindow['about']['kept']) =>
  `the plan keeps ${pluralize(days, 'day')} and at most ${formatCount(lines)} lines of a project`

/** What is before the first row: more lines, or the beginning of the log and what became of the rest. */
const beginning = ({ older, oldest, about }: LogWindow, failed: boolean, retry: () => void): ReactNode => {
  if (failed)
    return (
      <Button size="small" onClick={retry}>
        Older lines could not be loaded. Try again
      </Button>
    )
  if (older !== null) return `Looking for lines before number ${formatCount(older)}…`
  if (!oldest) return ''
  const since = formatExact(new Date(oldest.ts_ms))
  return oldest.is_cut
    ? `Lines before ${since} were removed: ${keptText(about.kept)}.`
    : `The log begins here. Lines are removed later: ${keptText(about.kept)}.`
}

type Seen = { from: number; to: number }

/** The times of the lines in view: a scroll renders the page a few times a second, not in each frame. */
const useSeen = () => {
  const [seen, setSeen] = useState<Seen>()
  const latest = useRef<Seen>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const follow = useCallback((now: Seen) => {
    latest.current = { from: rounded(now.from), to: rounded(now.to) + seenStepMs }
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const next = latest.current
      setSeen((kept) => (kept?.from === next?.from && kept?.to === next?.to ? kept : next))
    }, seenEveryMs)
  }, [])
  useEffect(() => () => clearTimeout(timer.current), [])
  return [seen, follow] as const
}

/** The log of a device: filtered, followed, and opened at a line or a time. */
export default function SystemLogsPage(): ReactNode {
  const { deviceId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const text = useFilterText()
  const [live, setLive] = useState(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const [range, setRange] = useState<LogRange | null>(null)
  const [seen, follow] = useSeen()
  const lines = useRef<LogHandle>(null)
  const tools = useRef<HTMLDivElement>(null)
  const filters = toLogFilters(search)
  const anchor = toLogAnchor(search)
  const view = useLogWindow({ deviceId, filters, anchor, live, isAtEnd })
  const { window: part, isFollowing } = view
  // Kept while another filter is read, so that an open menu keeps its entries.
  const [about, setAbout] = useState<LogWindow['about']>()
  if (part && part.about !== about) setAbout(part.about)
  const isFiltered = Object.keys(filters).some((name) => name !== 'from' && name !== 'to')
  const { lines: rows, about: facts } = part ?? {}
  const items = useMemo(() => (rows && facts ? toLogItems(rows, facts, isFiltered) : []), [rows, facts, isFiltered])
  const change = (next: LogSearch) => void navigate({ to: '.', search: (kept) => ({ ...kept, ...next }), replace: true })
  const jump = (next: LogSearch) => {
    setRange(null)
    change({ at: undefined, line: undefined, ...next })
  }
  const clear = () => {
    text.clear()
    void navigate({ to: '.', search: {}, replace: true })
  }
  const toNewest = () => {
    setAtEnd(true)
    if (anchor !== null) jump({})
    else if (part?.newer === null) lines.current?.toEnd()
    else view.reopen()
  }
  const focusFilter = useCallback(() => tools.current?.querySelector('input')?.focus(), [])
  const linkOf = (sequence: number) => {
    const url = new URL(location.href)
    url.search = new URLSearchParams({ line: String(sequence) }).toString()
    return url.href
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isPageFocused()) return
      event.preventDefault()
      focusFilter()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [focusFilter])
  const { linked } = view
  const [low, high] = range ? [Math.min(range.from, range.to), Math.max(range.from, range.to)] : [0, -1]
  const selected = part?.lines.filter(({ sequence }) => sequence >= low && sequence <= high) ?? []
  const shown = filters.from !== undefined && filters.to !== undefined ? { from: filters.from, to: filters.to } : seen
  const newest = part?.lines.at(-1)
  const isEmpty = part !== undefined && part.lines.length === 0 && part.older === null && part.newer === null
  const narrowed = isFiltered || filters.from !== undefined || filters.to !== undefined
  return (
    <>
      <div ref={tools}>
        <ToolRow>
          <ListFilter label="Filter by text" filter={text} wraps />
          <Suspense>
            <LogTools search={search} about={about} onChange={change} />
          </Suspense>
          <Switch checked={live} onChange={(event) => setLive(event.target.checked)}>
            Live tail
          </Switch>
          <Suspense>
            <LogExport deviceId={deviceId} name={deviceId} filters={filters} />
          </Suspense>
        </ToolRow>
      </div>
      {(filters.from !== undefined || filters.to !== undefined) && (
        <ToolRow>
          <FilterChip
            field="Time"
            value={`${filters.from === undefined ? 'the beginning' : formatExact(new Date(filters.from))} to ${filters.to === undefined ? 'now' : formatExact(new Date(filters.to))}`}
            onClear={() => change({ from: undefined, to: undefined })}
          />
        </ToolRow>
      )}
      {view.error && !part ? (
        <FailureBox error={view.error} onRetry={view.retry} />
      ) : isEmpty && !narrowed ? (
        <EmptyState title="Not Found">Log lines appear when the client runs with logs enabled.</EmptyState>
      ) : (
        <>
          <LogVolume
            deviceId={deviceId}
            end={anchor === null || !seen ? filters.to : Math.ceil(seen.to / endStepMs + 1) * endStepMs}
            shown={shown}
            onJump={(at) => jump({ at: String(at) })}
            onSelect={({ from, to }) => jump({ from: String(from), to: String(to) })}
          />
          {part && linked !== undefined && !part.lines.some(({ sequence }) => sequence === linked) && (
            <Banner kind="info">
              Line {formatCount(linked)} is not in this log: it was removed, or the filter leaves it out.{' '}
              {`Here, ${keptText(part.about.kept)}.`}
            </Banner>
          )}
          {isEmpty ? (
            <EmptyState small title="Not Found" action={<Button onClick={clear}>Clear filters</Button>} />
          ) : !part ? (
            <LogSkeleton />
          ) : (
            <LogLines
              key={JSON.stringify([filters, anchor, view.openedAt])}
              ref={lines}
              items={items}
              linked={linked}
              hasNewer={part.newer !== null}
              start={part.start}
              range={range}
              onRange={setRange}
              onAtEnd={setAtEnd}
              onSeen={follow}
              onOlder={view.loadOlder}
              onNewer={view.loadNewer}
              onOldest={() => jump({ at: '0' })}
              onNewest={toNewest}
              onFilter={focusFilter}
              linkOf={linkOf}
              head={beginning(part, view.failed === 'older', view.loadOlder)}
            />
          )}
          <div className={log.foot}>
            <span className={log.state} role="status">
              <Shape name={isFollowing ? 'online' : 'paused'} />
              {isFollowing ? 'Following' : 'Paused'}
              {part && part.waiting > 0 && ` · ${pluralize(part.waiting, 'new line')}`}
            </span>
            {!isFollowing && part && (
              <Button size="small" onClick={toNewest}>
                Newest lines
              </Button>
            )}
            {view.failed === 'newer' && (
              <Button size="small" onClick={view.loadNewer}>
                Newer lines could not be loaded. Try again
              </Button>
            )}
            {view.tailError && <span>New lines could not be loaded; trying again.</span>}
            {newest && (
              <span>
                newest line <RelativeTime value={new Date(newest.ts_ms)} />
              </span>
            )}
            {part && part.about.dropped > 0 && <span>{pluralize(part.about.dropped, 'line')} dropped</span>}
            {selected.length > 0 && (
              <span className={log.state}>
                {pluralize(selected.length, 'line')} selected, from {formatLogTime(selected[0]?.ts_ms ?? 0)}
                <CopyButton value={() => selected.map(toLineText).join('\n')}>Copy lines</CopyButton>
              </span>
            )}
            {part && <span className={log.kept}>Kept for {pluralize(part.about.kept.days, 'day')}</span>}
          </div>
        </>
      )}
    </>
  )
}
