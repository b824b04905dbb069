import { boolean, enums, type Infer, object, optional } from 'superstruct'
import { endpoint, requires, onObject } from '../core/endpoint'
import { Rollout } from './rollouts'
import { text, boundedInteger } from '../core/rules'

const rolloutOf = onObject('rollout', 'rolloutId')
const write = requires(rolloutOf, 'project:manage_releases')
const reason = object({ reason: optional(text('Reason', { min: 0, max: 500 })) })

/** The limits of a gate that a person may change while a rollout is halted. */
export const GateLimits = object({
  min_success_percent: boundedInteger('Minimum success', 0, 100),
  max_failure_percent: boundedInteger('Maximum failure', 0, 100),
})
export type GateLimits = Infer<typeof GateLimits>
/** Length of the reason for overruling a gate, in characters. */
export const overruleReason = { min: 10, max: 500 }

export const submitRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/submit',
  summary: 'Submit a rollout for approval.',
  needs: write,
  audit: 'rollout.request_approval',
  rate: 'write',
  body: object({ comment: optional(text('Comment', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const approveRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/approve',
  summary:
    'Approve a rollout and start it, or schedule it for its start time. 409 self_approval for its author and the person who submitted it.',
  needs: requires(rolloutOf, 'project:approve_releases'),
  audit: 'rollout.approve',
  rate: 'write',
  body: object({ comment: optional(text('Comment', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const denyRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/deny',
  summary: 'Deny a rollout.',
  needs: requires(rolloutOf, 'project:approve_releases'),
  audit: 'rollout.deny',
  rate: 'write',
  body: object({ comment: optional(text('Comment', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const startRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/start',
  summary: 'Start a rollout, or schedule it when its start time is in the future. `now` starts a scheduled rollout early.',
  needs: write,
  audit: 'rollout.start',
  rate: 'write',
  body: object({ now: optional(boolean()) }),
  answer: Rollout,
})
export const pauseRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/pause',
  summary: 'Pause a rollout. No new offers until it is resumed.',
  needs: write,
  audit: 'rollout.pause',
  rate: 'write',
  body: reason,
  answer: Rollout,
})
export const resumeRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/resume',
  summary: 'Resume a rollout. After a halt a reason is required; `limits` changes the gates of the open wave and the later ones.',
  needs: write,
  audit: 'rollout.resume',
  rate: 'write',
  body: object({ reason: optional(text('Reason', { min: 0, max: 500 })), limits: optional(GateLimits) }),
  answer: Rollout,
})
export const continueRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/continue',
  summary: 'Open the next wave when the gate waits for a person.',
  needs: write,
  audit: 'rollout.wave_continue',
  rate: 'write',
  answer: Rollout,
})
export const haltRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/halt',
  summary: 'Halt a rollout. New offers stop; running updates continue.',
  needs: write,
  audit: 'rollout.halt',
  rate: 'write',
  body: reason,
  answer: Rollout,
})
export const cancelRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/cancel',
  summary:
    'Cancel a rollout. stop_new lets running updates finish, abort_all asks devices to stop, also later while they finish.',
  needs: write,
  audit: 'rollout.cancel',
  rate: 'write',
  body: object({ mode: enums(['stop_new', 'abort_all']), reason: optional(text('Reason', { min: 0, max: 500 })) }),
  answer: Rollout,
})
export const rollBackRollout = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/roll_back',
  summary: 'Halt a rollout, or open one that was completed, cancelled or expired, and offer each device its previous release.',
  needs: write,
  audit: 'rollout.roll_back',
  rate: 'write',
  body: object({ reason: text('Reason', { max: 500 }) }),
  answer: Rollout,
})
export const retryFailed = endpoint({
  method: 'POST',
  path: '/rollouts/:rolloutId/retry_failed',
  summary: 'Queue the failed devices of an open rollout again. 409 for an ended rollout.',
  needs: write,
  audit: 'rollout.retry',
  rate: 'write',
  answer: Rollout,
})
