import type { Finding, LogSummary } from '../../../../contract/fleet/log-summaries'
import { findingOf } from './findings'
import type { SummaryLine } from './line'

type Gap = LogSummary['gaps'][number] & { before: SummaryLine; after: SummaryLine }

const LEAST_MS = 300_000
const FACTOR = 3
const SHOWN = 20

/** The 95th percentile of the pauses in this log. */
const usual = (pauses: readonly number[]): number => pauses.toSorted((a, b) => a - b)[Math.floor(pauses.length * 0.95)] ?? 0

/**
 * Gaps of more than three times the usual pause and of at least five minutes; longest first. `jumped`: lines before which the clock
 * went forward: no time has passed there.
 */
export const gapsOf = (lines: readonly SummaryLine[], jumped: readonly SummaryLine[]): Gap[] => {
  const pairs = lines.slice(1).flatMap((after, index) => {
    const before = lines[index]
    return before && after.tsMs > before.tsMs && !jumped.includes(after) ? [{ before, after, ms: after.tsMs - before.tsMs }] : []
  })
  const limit = Math.max(LEAST_MS, FACTOR * usual(pairs.map(({ ms }) => ms)))
  return pairs
    .filter(({ ms }) => ms > limit)
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, SHOWN)
    .map(({ before, after }) => ({
      from_ts_ms: before.tsMs,
      to_ts_ms: after.tsMs,
      rebooted: before.bootId !== after.bootId,
      before,
      after,
    }))
}

const minutes = (ms: number) => {
  const all = Math.round(ms / 60_000)
  return all < 120 ? `${all} minutes` : `${Math.round(all / 60)} hours`
}

export const silence = (gaps: readonly Gap[]): Finding[] => {
  const [longest] = gaps
  if (!longest) return []
  const sentence = `The log has ${gaps.length === 1 ? 'a gap of' : `${gaps.length} gaps, the longest of`} ${minutes(longest.to_ts_ms - longest.from_ts_ms)}`
  const step = longest.rebooted
    ? 'The device restarted afterwards: check the power supply.'
    : 'The same boot continued: check the network and the logger.'
  const lines = [longest.before, longest.after]
  return [findingOf({ rule_id: 'silence', severity: 'notable', sentence, step, lines, count: gaps.length })]
}
