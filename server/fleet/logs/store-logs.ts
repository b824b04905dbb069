import type { LogsAnswer } from '../../../contract/device/api'
import type { Infer } from 'superstruct'
import type { Tx } from '../../core/database/tx'
import { firstOfBoots } from '../telemetry/boots'
import { logBucket, takeTokens } from './bucket'
import type { ReadLines, StoredLine } from './log-lines'
import { lineTimeOf } from './positions.repository'
import { type FeedRow, insertLogLines, listStoredLines } from './repository'

type Owner = { projectId: string; deviceId: string }

const mostUnits = 200

/** A device that lost its memory counts from 1 again: its lines are stored after the existing ones. */
const baseFor = async (tx: Tx, owner: Owner, feed: FeedRow, first: StoredLine): Promise<number> => {
  const sequence = first.sequence + feed.base
  if (sequence > feed.lastSequence || first.bootId === feed.bootId) return feed.base
  const [known] = await listStoredLines(tx, owner, [sequence])
  return known?.bootId === first.bootId ? feed.base : feed.lastSequence + 1 - first.sequence
}

const allowedToday = ({ day, linesToday }: FeedRow, today: string) =>
  Math.max(0, logBucket.perDay - (day === today ? linesToday : 0))

const dayMs = 86_400_000
const untilTomorrow = (now: Date) => dayMs - (now.getTime() % dayMs)

const counted = (counts: Record<string, number>) => Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))

const newFeed = (owner: Owner, now: Date): FeedRow => ({
  ...owner,
  tokens: logBucket.burst,
  refilledAt: now,
  bootId: null,
  lastSequence: 0,
  base: 0,
  dropped: 0,
  day: '',
  linesToday: 0,
  units: [],
})

/**
 * Stores the lines that the device may send now, each once, and returns what happened to the rest (T-19). `was` is its feed; two
 * batches of a device at the same time conflict as transactions do.
 */
export const storeLogs = async (
  tx: Tx,
  owner: Owner,
  was: FeedRow | null,
  { lines, dropped: bad }: ReadLines,
  now: Date,
): Promise<Infer<typeof LogsAnswer>> => {
  const feed = was ?? newFeed(owner, now)
  const today = now.toISOString().slice(0, 10)
  const wanted = Math.min(lines.length, allowedToday(feed, today))
  const { taken, tokens, nextAllowedMs } = takeTokens(feed, wanted, now)
  const admitted = lines.slice(0, taken)
  const [first] = admitted
  const base = first ? await baseFor(tx, owner, feed, first) : feed.base
  // A number above the safe integers would make every later read of this log fail.
  const accepted = admitted.filter(({ sequence }) => sequence + base <= Number.MAX_SAFE_INTEGER)
  const numbered = [...new Map(accepted.map((line) => [line.sequence + base, line])).entries()]
  const late = numbered.map(([sequence]) => sequence).filter((sequence) => sequence <= feed.lastSequence)
  const known = new Set((await listStoredLines(tx, owner, late)).map(({ sequence }) => sequence))
  const rows = numbered.filter(([sequence]) => !known.has(sequence)).map(([sequence, line]) => ({ ...line, sequence }))
  const reasons = counted({
    ...bad,
    number_too_large: taken - accepted.length,
    rate_limit: wanted - taken,
    daily_limit: lines.length - wanted,
  })
  const dropped = Object.values(reasons).reduce((sum, count) => sum + count, 0)
  const feedAfter = {
    tokens,
    refilledAt: now,
    base,
    bootId: accepted.at(-1)?.bootId ?? feed.bootId,
    lastSequence: Math.max(feed.lastSequence, ...rows.map(({ sequence }) => sequence)),
    dropped,
    day: today,
    linesToday: (feed.day === today ? feed.linesToday : 0) + rows.length,
    units: [...new Set([...feed.units, ...accepted.map(({ unit }) => unit)])].filter((unit) => unit !== '').slice(0, mostUnits),
  }
  // A clock that is set after the start gives the first lines of a boot a wrong time.
  const signs = accepted.map(({ bootId, tsMs }) => ({ bootId, tsMs: lineTimeOf({ tsMs, receivedAt: now }) }))
  await insertLogLines(tx, owner, { lines: rows, boots: firstOfBoots(signs), was, feed: feedAfter })
  // When the daily limit is used up the device does not wait for the bucket.
  const isDayOver = taken === wanted && wanted < lines.length
  return { accepted: accepted.length, dropped, reasons, next_allowed_ms: isDayOver ? untilTomorrow(now) : nextAllowedMs }
}
