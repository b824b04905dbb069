import { check } from 'recheck'
import { within } from './machine-load'

export type Verdict = { status: 'safe' | 'vulnerable' | 'unknown'; attack?: string }

/** A slow machine needs most of it for a few expressions; most take milliseconds. */
const timeout = within(60_000)

/** Whether the time of an expression grows with the length of its text at most, and else a text that shows it. */
export const askRecheck = async (expression: string): Promise<Verdict> => {
  const end = expression.lastIndexOf('/')
  const found = await check(expression.slice(1, end), expression.slice(end + 1), { timeout })
  return found.status === 'vulnerable' ? { status: found.status, attack: found.attack.pattern } : { status: found.status }
}
