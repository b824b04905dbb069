import { countedLines, deviceLogVolume, deviceSystemLogs, exportSystemLogs } from '../../../contract/fleet/device-logs'
import { listLimit } from '../../../contract/core/limits'
import { planLimits } from '../../../contract/accounts/plan-limits'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { route, routeWithLag } from '../../core/http/route'
import { getDevice } from '../devices/repository'
import { listBoots } from '../telemetry/boots.repository'
import { exportedLines } from './export'
import { countLinesByTime, findSequenceAt, lineTimeOf } from './positions.repository'
import { readLogFilter } from './read-filter'
import { findEndOfLog, findLogFeed, listLogLines, type LogFilter } from './repository'
import { logLineToJson } from './to-json'

type Owner = { projectId: string; deviceId: string }

const getOwner = async (tx: Tx, deviceId: string): Promise<Owner> => {
  const { id, projectId } = await getDevice(tx, deviceId)
  return { projectId, deviceId: id }
}

type Asked = { after?: number | undefined; before?: number | undefined; at: number | null }

/** The filter within the bounds of a page. */
const onPage = (filter: LogFilter, { after, before, at }: Asked): LogFilter => ({
  ...filter,
  fromSequence: Math.max(filter.fromSequence ?? 0, after === undefined ? (at ?? 0) : after + 1),
  untilSequence: before === undefined ? filter.untilSequence : Math.min(before, filter.untilSequence ?? before),
})

const findOldest = async (tx: Tx, owner: Owner) => {
  const oldest = await findEndOfLog(tx, owner, 'oldest')
  return oldest ? { sequence: oldest.sequence, ts_ms: lineTimeOf(oldest), is_cut: oldest.sequence > 1 } : null
}

const hourMs = 3_600_000
const intervals = 96
const types = { ndjson: 'application/x-ndjson; charset=utf-8', text: 'text/plain; charset=utf-8' } as const
const endings = { ndjson: 'ndjson', text: 'log' } as const

export const logRoutes = (api: Api): void => {
  // Lines in the order of their sequence. Without a bound the newest ones; `next_cursor` is the sequence to continue from: into
  // the past as `before_sequence`, or forward as `after_sequence` where that or `at` was asked.
  routeWithLag(api, deviceSystemLogs, async ({ tx, params, project, query }) => {
    const { limit = listLimit.default, at, after_sequence: after, before_sequence: before, ...asked } = query
    const owner = await getOwner(tx, params.deviceId)
    // Before the lines: what is stored meanwhile has a higher number than the feed says.
    const feed = await findLogFeed(tx, owner.deviceId)
    const boots = await listBoots(tx, owner.deviceId)
    const filter = await readLogFilter(tx, owner, asked, feed?.units ?? [])
    const atSequence = at === undefined ? null : await findSequenceAt(tx, owner, at)
    const isNewer = after !== undefined || atSequence !== null
    const direction = isNewer ? ('newer' as const) : ('older' as const)
    const { rows, edge } = await listLogLines(tx, owner, onPage(filter, { after, before, at: atSequence }), direction, limit)
    const { log_days: days, log_lines: lines } = planLimits[project.plan]
    return {
      lines: (isNewer ? rows : rows.toReversed()).map(logLineToJson),
      next_cursor: edge === null ? null : String(edge),
      newest_sequence: Math.max(feed?.lastSequence ?? 0, ...rows.map(({ sequence }) => sequence)),
      at_sequence: atSequence,
      oldest: !isNewer && edge === null ? await findOldest(tx, owner) : null,
      kept: { days, lines },
      dropped: feed?.dropped ?? 0,
      units: feed?.units.toSorted() ?? [],
      boots: boots.map(({ bootId, firstTsMs }) => ({ boot_id: bootId, first_ts_ms: firstTsMs })),
    }
  })

  routeWithLag(api, deviceLogVolume, async ({ tx, params, query, now }) => {
    const owner = await getOwner(tx, params.deviceId)
    const hours = Number(query.hours ?? '1')
    const stepMs = (hours * hourMs) / intervals
    const newest = query.to === undefined ? await findEndOfLog(tx, owner, 'newest') : undefined
    const end = query.to ?? (newest ? lineTimeOf(newest) + 1 : now.getTime())
    const toMs = Math.ceil(end / stepMs) * stepMs
    const fromMs = Math.max(0, toMs - hours * hourMs)
    const first = await findSequenceAt(tx, owner, fromMs)
    const span = { fromMs, toMs, stepMs }
    const { buckets, counted, oldestMs } =
      first === null ? { buckets: [], counted: 0, oldestMs: null } : await countLinesByTime(tx, owner, span, first, countedLines)
    return { from: fromMs, to: toMs, step_ms: stepMs, buckets, counted_from: counted < countedLines ? null : oldestMs }
  })

  route(api, exportSystemLogs, async ({ tx, params, query, now, reply }) => {
    const { format = 'ndjson', ...asked } = query
    const owner = await getOwner(tx, params.deviceId)
    const feed = await findLogFeed(tx, owner.deviceId)
    const filter = await readLogFilter(tx, owner, asked, feed?.units ?? [])
    // Without lines that arrive during the export: it would not end while the device is faster than the reader.
    const newest = await findEndOfLog(tx, owner, 'newest')
    const untilSequence = Math.min(filter.untilSequence ?? Number.MAX_SAFE_INTEGER, (newest?.sequence ?? 0) + 1)
    const name = `system-logs-${now.toISOString().slice(0, 10)}.${endings[format]}`
    reply.headers({ 'Content-Type': types[format], 'Content-Disposition': `attachment; filename="${name}"` })
    return exportedLines(tx, owner, { ...filter, untilSequence }, format)
  })
}
