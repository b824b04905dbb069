import { overruleReason } from '../../../contract/updates/rollout-steps'

const { min, max } = overruleReason

/** Hint of the field for the reason of overruling a limit. */
export const reasonHint = `${min} to ${max} characters. Recorded in the audit log under your name.`

/** The problem of a typed reason, with the server's message. */
export const reasonProblem = (typed: string): string | undefined => {
  const length = [...typed.trim()].length
  if (length === 0) return 'Reason is required'
  if (length < min) return `Reason must be at least ${min} characters`
  return length > max ? `Reason must be ${max} characters or less` : undefined
}
