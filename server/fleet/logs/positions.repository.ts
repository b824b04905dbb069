import { sql } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'

type Owner = { projectId: string; deviceId: string }

const dayMs = 86_400_000
/** The end of the year 9999. */
const maxMs = 253_402_300_799_999
/** A clock that is further ahead of the server's than this is wrong, as with metrics. */
const aheadMs = 600_000
/** As long as lines are kept: a line of a clock that is further behind is not of that time. */
const behindMs = 31 * dayMs

/** The time of a line in milliseconds: of its device, unless that clock is wrong. */
const lineTime = sql`case
  when ts_ms between extract(epoch from received_at) * 1000 - ${sql.raw(String(behindMs))}
    and extract(epoch from received_at) * 1000 + ${sql.raw(String(aheadMs))} then ts_ms
  else (extract(epoch from received_at) * 1000)::bigint end`

/** The same of a line that is read. */
export const lineTimeOf = ({ tsMs, receivedAt }: { tsMs: number; receivedAt: Date }): number => {
  const received = receivedAt.getTime()
  return tsMs >= received - behindMs && tsMs <= received + aheadMs ? tsMs : received
}

/**
 * The beginning of the day on which a line of this time can have arrived first: the partitions of earlier days are left out. Not the
 * time itself, because a look into the index would pass all lines of the day before it.
 */
const dayOf = (atMs: number) => {
  const earliest = Math.max(0, Math.min(maxMs, atMs) - aheadMs)
  return new Date(earliest - (earliest % dayMs)).toISOString()
}

const ownedBy = ({ projectId, deviceId }: Owner) => sql`project_id = ${projectId} and device_id = ${deviceId}`

/**
 * The lowest sequence number whose line is of this time or later; null if there is none. Times rise with the sequence numbers but for
 * steps of a clock, so it is found by halving: about 20 looks into the index in a log of a million lines.
 */
export const findSequenceAt = async (tx: Tx, owner: Owner, atMs: number): Promise<number | null> => {
  const later = sql`${ownedBy(owner)} and received_at >= ${dayOf(atMs)}::timestamptz`
  const { rows } = await tx.execute<{ lo: string | null }>(sql`
    with recursive ends as (
      select (select sequence from device_logs where ${later} order by sequence limit 1) as lo,
        (select sequence from device_logs where ${later} order by sequence desc limit 1) as top
    ),
    search (lo, hi) as (
      select lo, top + 1 from ends where lo is not null
      union all
      select case when probe.is_earlier then probe.sequence + 1 else search.lo end,
        case when probe.is_earlier then search.hi else halved.middle end
      from search,
        lateral (select (search.lo + search.hi) / 2 as middle) as halved
        left join lateral (
          select sequence, ${lineTime} < ${atMs}::float8 as is_earlier from device_logs
          where ${later} and sequence >= halved.middle and sequence < search.hi
          order by sequence limit 1
        ) as probe on true
      where search.lo < search.hi
    )
    select search.lo from search, ends where search.lo >= search.hi and search.lo <= ends.top`)
  const found = rows[0]?.lo
  return found === undefined || found === null ? null : Number(found)
}

type Counts = { ts_ms: number; error: number; warning: number; other: number }
type Span = { fromMs: number; toMs: number; stepMs: number }
type Volume = { buckets: Counts[]; counted: number; oldestMs: number | null }

/** Counts lines from a sequence number on, by time and level: the newest `most`. */
export const countLinesByTime = async (
  tx: Tx,
  owner: Owner,
  { fromMs, toMs, stepMs }: Span,
  firstSequence: number,
  most: number,
): Promise<Volume> => {
  const { rows } = await tx.execute<Record<'at' | 'error' | 'warning' | 'other' | 'counted' | 'oldest', string>>(sql`
    with examined as materialized (
      select level, ${lineTime} as at from device_logs
      where ${ownedBy(owner)} and sequence >= ${firstSequence}
        and received_at >= ${dayOf(fromMs)}::timestamptz
      order by sequence desc limit ${most}
    )
    select ${fromMs}::float8 + floor((at - ${fromMs}::float8) / ${stepMs}::float8) * ${stepMs}::float8 as at,
      count(*) filter (where level <= 3) as error, count(*) filter (where level = 4) as warning,
      count(*) filter (where level > 4) as other,
      (select count(*) from examined) as counted, (select min(at) from examined) as oldest
    from examined where at >= ${fromMs}::float8 and at < ${toMs}::float8
    group by 1 order by 1`)
  return {
    buckets: rows.map((row) => ({
      ts_ms: Number(row.at),
      error: Number(row.error),
      warning: Number(row.warning),
      other: Number(row.other),
    })),
    counted: Number(rows[0]?.counted ?? 0),
    oldestMs: rows[0] ? Number(rows[0].oldest) : null,
  }
}
