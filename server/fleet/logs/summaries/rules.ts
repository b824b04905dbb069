import { criticalRules } from './critical-rules'
import { eventsOf } from './events'
import type { SummaryLine } from './line'
import { notableRules } from './notable-rules'
import { problemRules } from './problem-rules'
import type { Rule } from './rule'

const times = (count: number) => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

/** Worst first: a line counts for the first rule that it matches. */
export const rules: readonly Rule[] = [...criticalRules, ...problemRules, ...notableRules]

const nameIn = (message: string, { forms }: Rule): string | undefined => {
  for (const form of forms) {
    const name = form.exec(message)?.slice(1).find(Boolean)
    if (name !== undefined) return name
  }
  return undefined
}

const namedBy = (lines: readonly SummaryLine[], rule: Rule): string => {
  const counts = new Map<string, number>()
  for (const { message } of lines) {
    const name = nameIn(message, rule)
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? ''
}

/** The rule of a line: the first that it follows. */
export const ruleOf = ({ message }: SummaryLine): Rule | undefined =>
  rules.find(({ forms, unless }) => forms.some((form) => form.test(message)) && unless?.test(message) !== true)

/** One failure causes several lines: the finding counts events, and names what most lines name. */
export const describeFinding = (rule: Rule, lines: readonly SummaryLine[]): { sentence: string; count: number } => {
  const count = eventsOf(lines, rule).length
  return { sentence: rule.sentence({ lines, named: namedBy(lines, rule), times: times(count) }), count }
}
