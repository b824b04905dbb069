import type { SummaryVerdict } from '../../../../contract/fleet/log-summaries'
import type { Counting } from './events'
import type { SummaryLine } from './line'

type Severity = Exclude<SummaryVerdict, 'normal'>
type Told = { lines: readonly SummaryLine[]; named: string; times: string }

/**
 * The meaning of a single line. At least `least` events within ten minutes are needed: fewer are the noise of a normal day. The
 * sentence names the first group of the form that a line has. Lines that have `unless` are none of the rule.
 */
export type Rule = Counting & {
  id: string
  severity: Severity
  forms: readonly RegExp[]
  unless?: RegExp
  least?: number
  sentence: (told: Told) => string
  step: string
}
