import { overruleReason } from '../../../contract/rollout-steps'

const { min, max } = overruleReason

/** Under a field in which a person gives the reason for overruling a limit. */
export const reasonHint = `${min} to ${max} characters. Recorded in the audit log under your name.`

/** What is wrong with it, as the server would say. */
export const reasonProblem = (typed: string): string | undefined => {
  const length = [...typed.trim()].length
  if (length === 0) return 'Reason is required'
  if (length < min) return `Reason must be at least ${min} characters`
  return length > max ? `Reason must be ${max} characters or less` : undefined
}
