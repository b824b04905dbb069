import type { Finding, SummaryVerdict } from '../../../../contract/fleet/log-summaries'
import { summaryVerdicts } from '../../../../contract/fleet/log-summaries'
import { beginning, ERROR, type SummaryLine } from './line'
import { eventsOf } from './events'
import { describeFinding, ruleOf, rules } from './rules'

const CITED = 3
const MOST_CHARACTERS = 300

const cited = (line: SummaryLine) => ({
  sequence: line.sequence,
  ts_ms: line.tsMs,
  unit: line.unit,
  message: beginning(line.message, MOST_CHARACTERS),
})

type Found = Pick<Finding, 'rule_id' | 'severity' | 'sentence' | 'step'> & { lines: readonly SummaryLine[]; count?: number }

/** Samples of a finding: first and last lines and one between. */
const some = (lines: readonly SummaryLine[]) =>
  lines.length <= CITED
    ? lines
    : [lines[0], lines[Math.floor(lines.length / 2)], lines.at(-1)].filter((line) => line !== undefined)

export const findingOf = ({ lines, count = lines.length, ...found }: Found): Finding => ({
  ...found,
  count,
  first_ts_ms: lines[0]?.tsMs ?? 0,
  last_ts_ms: lines.at(-1)?.tsMs ?? 0,
  cited: some(lines).map(cited),
})

const burstMs = 600_000

/** Whether so many of these lines follow each other within ten minutes. */
const isBurst = (lines: readonly SummaryLine[], least: number): boolean =>
  lines.some((line, index) => {
    const last = lines[index + least - 1]
    return last !== undefined && Math.abs(last.tsMs - line.tsMs) <= burstMs
  })

/** Findings from single lines. */
export const byRules = (lines: readonly SummaryLine[]): Finding[] => {
  const hits = new Map<string, SummaryLine[]>()
  for (const line of lines) {
    const rule = ruleOf(line)
    if (!rule) continue
    const list = hits.get(rule.id) ?? []
    hits.set(rule.id, list)
    list.push(line)
  }
  return rules.flatMap((rule) => {
    const found = hits.get(rule.id) ?? []
    if (!isBurst(eventsOf(found, rule), rule.least ?? 1)) return []
    return [
      findingOf({
        rule_id: rule.id,
        severity: rule.severity,
        ...describeFinding(rule, found),
        step: rule.step,
        lines: found,
      }),
    ]
  })
}

const LOOP = { boots: 3, withinMs: 600_000 }

/**
 * Three boots within ten minutes. `firsts` are the first lines of each boot, in their order; the boot that was running before is
 * none of them.
 */
export const bootLoop = (firsts: readonly SummaryLine[], bootBefore: string | null): Finding[] => {
  const starts = firsts.filter(({ bootId }) => bootId !== bootBefore)
  const at = starts.findIndex((start, index) => {
    const third = starts[index + LOOP.boots - 1]
    return third !== undefined && third.tsMs - start.tsMs <= LOOP.withinMs && third.tsMs >= start.tsMs
  })
  if (at < 0) return []
  const more = starts.length > LOOP.boots ? `, ${LOOP.boots} of them` : ''
  const sentence = `The device started ${starts.length} times${more} within ten minutes`
  const step = 'Check the last lines of each boot for the cause of the reset.'
  return [findingOf({ rule_id: 'boot_loop', severity: 'critical', sentence, step, lines: starts })]
}

const RISE = { factor: 3, least: 5 }

/** More errors per hour than three times the rate of the week before. `hours`: the time that the lines are of. */
export const errorRise = (lines: readonly SummaryLine[], hours: number, before: { errors: number; hours: number }): Finding[] => {
  const errors = lines.filter(({ level }) => level <= ERROR)
  if (errors.length < RISE.least || before.hours <= 0) return []
  const usual = before.errors / before.hours
  const rate = errors.length / Math.max(hours, 1 / 60)
  if (before.errors === 0 || rate <= RISE.factor * usual) return []
  const sentence = `The error rate is ${Math.round(rate / usual)} times that of the week before`
  return [findingOf({ rule_id: 'error_rise', severity: 'notable', sentence, step: null, lines: errors })]
}

export const worstFirst = (findings: readonly Finding[]): Finding[] => {
  const rank = ({ severity }: Finding) => summaryVerdicts.indexOf(severity)
  return findings.toSorted((a, b) => rank(b) - rank(a) || b.count - a.count || a.rule_id.localeCompare(b.rule_id))
}

export const verdictOf = (findings: readonly Finding[]): SummaryVerdict => worstFirst(findings)[0]?.severity ?? 'normal'
