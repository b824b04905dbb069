import { logLevels } from '../../../../contract/device/config-fields'
import type { Finding, LogSummary, SummaryVerdict } from '../../../../contract/fleet/log-summaries'
import type { LogSummaryRow } from './repository'
import { type ClockJumps, clockJumps, clockJumpsOf } from './clock-jumps'
import { bootLoop, byRules, errorRise, findingOf, verdictOf, worstFirst } from './findings'
import { gapsOf, silence } from './gaps'
import { beginning, ERROR, type SummaryLine, WARNING } from './line'
import { createPatterns, masked, patternOf } from './patterns'

/** Increases with every change of rules or patterns: two summaries of one version and the same lines are the same. */
export const engineVersion = 6

/** The week before the window: the masked messages of warnings or worse, and the number of errors. */
export type PastWeek = { messages: ReadonlySet<string>; errors: number; hours: number }

type Counts = { error: number; warning: number; other: number }
const none = (): Counts => ({ error: 0, warning: 0, other: 0 })
const count = (counts: Counts, { level }: SummaryLine) => {
  counts[level <= ERROR ? 'error' : level === WARNING ? 'warning' : 'other'] += 1
}

const levelsOf = (lines: readonly SummaryLine[]) =>
  logLevels
    .map((level, index) => ({ level, count: lines.filter((line) => line.level === index).length }))
    .filter((one) => one.count > 0)

const UNITS = 20
const unitsOf = (lines: readonly SummaryLine[]): LogSummary['units'] => {
  const units = new Map<string, Counts>()
  for (const line of lines) {
    const counts = units.get(line.unit ?? '') ?? none()
    units.set(line.unit ?? '', counts)
    count(counts, line)
  }
  return [...units]
    .map(([unit, counts]) => ({ unit, ...counts }))
    .toSorted((a, b) => b.error - a.error || b.warning - a.warning || b.other - a.other || a.unit.localeCompare(b.unit))
    .slice(0, UNITS)
}

const BUCKETS = 48
const timelineOf = (lines: readonly SummaryLine[], from: number, to: number): LogSummary['timeline'] => {
  const width = Math.max(1, Math.ceil((to - from) / BUCKETS))
  const buckets = Array.from({ length: BUCKETS }, (_, index) => ({ ts_ms: from + index * width, ...none() }))
  for (const line of lines) {
    const bucket = buckets[Math.min(BUCKETS - 1, Math.max(0, Math.floor((line.tsMs - from) / width)))]
    if (bucket) count(bucket, line)
  }
  return buckets
}

const startsOf = (lines: readonly SummaryLine[]): { line: SummaryLine; lines: number }[] => {
  const boots = new Map<string, { line: SummaryLine; lines: number }>()
  for (const line of lines) {
    if (line.bootId === null) continue
    const boot = boots.get(line.bootId)
    if (boot) boot.lines += 1
    else boots.set(line.bootId, { line, lines: 1 })
  }
  return [...boots.values()]
}

const TEMPLATES = 20
const templatesOf = (lines: readonly SummaryLine[], past: PastWeek) => {
  const patterns = createPatterns<SummaryLine>()
  for (const line of lines) patterns.add(line)
  const all = patterns.groups().map((group) => {
    const [first] = group.lines
    const level = Math.min(...group.lines.map((line) => line.level))
    const facts = {
      pattern: patternOf(group),
      unit: first?.unit ?? null,
      level: logLevels[level] ?? 'debug',
      count: group.lines.length,
      is_new: level <= WARNING && !group.lines.some(({ message }) => past.messages.has(masked(message))),
      example: beginning(first?.message ?? '', 300),
      first_ts_ms: first?.tsMs ?? 0,
      last_ts_ms: group.lines.at(-1)?.tsMs ?? 0,
    }
    return { facts, worst: level, lines: group.lines }
  })
  return all.toSorted(
    (a, b) => b.lines.length - a.lines.length || a.worst - b.worst || a.facts.pattern.localeCompare(b.facts.pattern),
  )
}

const NEW_SHOWN = 3
/** Without a past nothing is new: for a new device every message is the first of its kind. */
const newPatterns = (templates: ReturnType<typeof templatesOf>, past: PastWeek, known: readonly Finding[]): Finding[] => {
  if (past.messages.size === 0) return []
  const told = new Set(known.flatMap(({ cited }) => cited.map(({ message }) => masked(message))))
  return templates
    .filter(({ facts }) => facts.is_new && !told.has(masked(facts.example)))
    .slice(0, NEW_SHOWN)
    .map(({ facts: { example, unit, count: often }, lines }) => {
      const said = example.length > 80 ? `${beginning(example, 79)}…` : example
      const sentence = `${unit ?? 'The device'} logged a new message ${often === 1 ? 'once' : `${often} times`}: ${said}`
      return findingOf({ rule_id: 'new_pattern', severity: 'notable', sentence, step: null, lines })
    })
}

const LONGEST = 160
const headlineOf = (findings: readonly Finding[], lines: number): string => {
  const [first, ...rest] = findings
  if (!first && lines === 0) return 'No lines in this period'
  if (!first) return `No findings in ${lines === 1 ? '1 line' : `${lines.toLocaleString('en-US')} lines`}`
  const more = rest.length === 0 ? '' : `, and ${rest.length} more`
  const most = LONGEST - more.length
  return `${first.sentence.length > most ? `${beginning(first.sentence, most - 1)}…` : first.sentence}${more}`
}

/** `bootBefore`: the boot of the line before the first. `isCut`: the period has more lines than these, its newest. */
type Input = { lines: readonly SummaryLine[]; from: Date; to: Date; past: PastWeek; bootBefore: string | null; isCut: boolean }

/** After an outage more than the period arrives within it. */
const hoursOf = (lines: readonly SummaryLine[], { forward }: ClockJumps, periodMs: number): number => {
  let spanMs = 0
  for (const [index, line] of lines.entries())
    if (!forward.includes(line)) spanMs += Math.max(0, line.tsMs - (lines[index - 1] ?? line).tsMs)
  return Math.max(spanMs, periodMs) / 3_600_000
}

/** Summarizes lines in the order of their sequence; depends only on these lines and on what was before. */
export const summarize = ({
  lines,
  from,
  to,
  past,
  bootBefore,
  isCut,
}: Input): { verdict: SummaryVerdict; content: LogSummaryRow['content'] } => {
  const starts = startsOf(lines)
  const jumps = clockJumpsOf(lines)
  const gaps = gapsOf(lines, jumps.forward)
  const templates = templatesOf(lines, past)
  const [first] = lines
  const begun = isCut && first ? first.receivedMs : from.getTime()
  const certain = [
    ...byRules(lines),
    ...bootLoop(
      starts.map(({ line }) => line),
      bootBefore,
    ),
    ...clockJumps(jumps),
    ...silence(gaps),
    ...errorRise(lines, hoursOf(lines, jumps, to.getTime() - begun), past),
  ]
  const findings = worstFirst([...certain, ...newPatterns(templates, past, certain)])
  return {
    verdict: verdictOf(findings),
    content: {
      boot_count: starts.length,
      first_ts_ms: lines[0]?.tsMs ?? null,
      last_ts_ms: lines.at(-1)?.tsMs ?? null,
      headline: headlineOf(findings, lines.length),
      findings,
      levels: levelsOf(lines),
      units: unitsOf(lines),
      templates: templates.slice(0, TEMPLATES).map(({ facts }) => facts),
      timeline: timelineOf(lines, from.getTime(), to.getTime()),
      boots: starts.slice(-20).map(({ line, lines: n }) => ({ boot_id: line.bootId ?? '', ts_ms: line.tsMs, lines: n })),
      gaps: gaps.map(({ from_ts_ms, to_ts_ms, rebooted }) => ({ from_ts_ms, to_ts_ms, rebooted })),
    },
  }
}
