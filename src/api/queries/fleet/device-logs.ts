import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { deviceLogVolume, deviceSystemLogs, type exportSystemLogs, type LogLine } from '../../../../contract/fleet/device-logs'
import type { AnswerOf, QueryOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'
import { every, paces } from '../../refresh'

export type LogFilters = Omit<NonNullable<QueryOf<typeof exportSystemLogs>>, 'format'>
export type LogPage = AnswerOf<typeof deviceSystemLogs>
/** Where a log is opened: at a line, at a time, or at its newest end. */
export type LogAnchor = { line: number } | { at: number } | null

/** Lines of one request. */
const pageLines = 200
/** Lines that are kept at once: those at the other end are left, and read again when they are scrolled to. */
const mostLines = 2000

/** A part of a log, in the order of its sequence numbers. */
export type LogWindow = {
  lines: readonly LogLine[]
  /** Where older lines continue, as `before_sequence`; null at the beginning of the log. */
  older: number | null
  /** Where newer lines continue, as `after_sequence`; null at the end of the log. */
  newer: number | null
  /** Where the tail continues, as `after_sequence`. */
  tail: number
  /** Where it was opened; null at the newest end. */
  start: number | null
  /** Lines that the tail has seen and that are not among these. */
  waiting: number
  oldest: LogPage['oldest']
  about: Pick<LogPage, 'kept' | 'dropped' | 'units' | 'boots'>
}

const cursor = ({ next_cursor }: LogPage) => (next_cursor === null ? null : Number(next_cursor))
const lastOf = (lines: readonly LogLine[]) => lines.at(-1)?.sequence ?? 0
const aboutOf = ({ kept, dropped, units, boots }: LogPage) => ({ kept, dropped, units, boots })
/** The same object while nothing in it is new: rows are made of it. */
const nextAbout = ({ about }: LogWindow, page: LogPage) => {
  const next = aboutOf(page)
  return JSON.stringify(next) === JSON.stringify(about) ? about : next
}

/** The window with older lines before it. */
export const addOlder = (window: LogWindow, page: LogPage): LogWindow => {
  const all = [...page.lines, ...window.lines]
  const lines = all.slice(0, mostLines)
  const isCut = all.length > lines.length
  return { ...window, lines, older: cursor(page), oldest: page.oldest ?? window.oldest, ...(isCut && { newer: lastOf(lines) }) }
}

/** The window with newer lines behind it. */
export const addNewer = (window: LogWindow, page: LogPage): LogWindow => {
  const after = lastOf(window.lines)
  const added = page.lines.filter(({ sequence }) => sequence > after)
  const reached = Math.max(page.newest_sequence, after, lastOf(added))
  // Another answer, which has overtaken this one, may have seen lines that came later.
  const newer = cursor(page) ?? (window.tail > reached ? reached : null)
  // An answer without news changes no row; one that goes on asks the rows to go on.
  const all = added.length === 0 && newer === null ? window.lines : [...window.lines, ...added]
  const isCut = all.length > mostLines
  const lines = isCut ? all.slice(-mostLines) : all
  return {
    ...window,
    lines,
    newer,
    tail: Math.max(window.tail, newer ?? reached),
    waiting: newer === null ? 0 : window.waiting,
    about: nextAbout(window, page),
    ...(isCut && { older: lines[0]?.sequence ?? null, oldest: null }),
  }
}

/** The window while its reader looks elsewhere: new lines are only counted. */
export const countNewer = (window: LogWindow, page: LogPage): LogWindow => ({
  ...window,
  newer: page.lines.length === 0 ? window.newer : (window.newer ?? window.tail),
  tail: cursor(page) ?? Math.max(window.tail, page.newest_sequence, lastOf(page.lines)),
  waiting: window.waiting + page.lines.length,
  about: nextAbout(window, page),
})

type Asked = Pick<NonNullable<QueryOf<typeof deviceSystemLogs>>, 'after_sequence' | 'before_sequence' | 'at'>

/** One page of a log; the tail asks for `after_sequence` and gets new lines only. */
export const readLogPage = (api: Api, deviceId: string, filters: LogFilters, asked: Asked, signal?: AbortSignal) =>
  api(deviceSystemLogs, { deviceId }, { query: { ...filters, ...asked, limit: pageLines }, signal })

const atNewest = (page: LogPage): LogWindow => ({
  lines: page.lines,
  older: cursor(page),
  newer: null,
  tail: Math.max(page.newest_sequence, lastOf(page.lines)),
  start: null,
  waiting: 0,
  oldest: page.oldest,
  about: aboutOf(page),
})

const openWindow = async (api: Api, deviceId: string, filters: LogFilters, anchor: LogAnchor, signal: AbortSignal) => {
  const read = (asked: Asked) => readLogPage(api, deviceId, filters, asked, signal)
  if (anchor === null) return atNewest(await read({}))
  const newer = await read('line' in anchor ? { after_sequence: anchor.line - 1 } : { at: anchor.at })
  const first = 'line' in anchor ? anchor.line : newer.at_sequence
  // No line is as late as that: the answer has the newest.
  if (first === null) return atNewest(newer)
  const older = await read({ before_sequence: first })
  return { ...addNewer(atNewest(older), newer), start: first }
}

/** Read once: pages and the tail change it in place (`setQueryData`). */
export const logWindowQuery = (api: Api, deviceId: string, filters: LogFilters, anchor: LogAnchor) =>
  queryOptions({
    queryKey: ['system-logs', deviceId, filters, anchor],
    queryFn: ({ signal }) => openWindow(api, deviceId, filters, anchor, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnReconnect: false,
    structuralSharing: false,
  })

export type VolumeHours = NonNullable<NonNullable<QueryOf<typeof deviceLogVolume>>['hours']>

export const logVolumeQuery = (api: Api, deviceId: string, hours: VolumeHours, to: number | undefined) =>
  queryOptions({
    queryKey: ['system-logs', deviceId, 'volume', hours, to ?? null],
    queryFn: ({ signal }) => api(deviceLogVolume, { deviceId }, { query: { hours, ...(to !== undefined && { to }) }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: every(paces.list),
  })
