import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import {
  approveRollout,
  cancelRollout,
  continueRollout,
  denyRollout,
  type GateLimits,
  haltRollout,
  pauseRollout,
  resumeRollout,
  retryFailed,
  rollBackRollout,
  startRollout,
  submitRollout,
} from '../../../../contract/updates/rollout-steps'
import { createRollout, type Rollout } from '../../../../contract/updates/rollouts'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'

const renew = async (client: QueryClient, rollout: Rollout) => {
  // Which device is next is read again with it.
  client.setQueryData(['rollout', rollout.id], { ...rollout, next_wait: null })
  await Promise.all(
    [
      ['rollout', rollout.id],
      ['rollouts', rollout.project_id],
      ['release', rollout.release_id],
      ['overview', rollout.project_id],
    ].map((queryKey) => client.invalidateQueries({ queryKey })),
  )
}

export const createRolloutMutation = (api: Api, releaseId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createRollout>>) =>
      api(createRollout, { releaseId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (rollout, _input, _kept, { client }) => renew(client, rollout),
  })

/** An action of a person on a rollout, with a reason, comment or mode where the endpoint takes one. */
export type RolloutStep =
  | { action: 'continue' | 'retryFailed' }
  /** `now`: before the start time of a scheduled one. */
  | { action: 'start'; now?: boolean }
  | { action: 'pause' | 'halt'; reason?: string }
  | { action: 'resume'; reason?: string; limits?: GateLimits }
  | { action: 'rollBack'; reason: string }
  | { action: 'submit' | 'approve' | 'deny'; comment?: string }
  | { action: 'cancel'; mode: 'stop_new' | 'abort_all'; reason?: string }

type StepInput = RolloutStep & { rolloutId: string; idempotencyKey?: string }

const take = (api: Api, { rolloutId, ...step }: StepInput): Promise<Rollout> => {
  const params = { rolloutId }
  const key = keyOf(step)
  switch (step.action) {
    case 'start':
      return api(startRollout, params, { body: { now: step.now }, ...key })
    case 'continue':
      return api(continueRollout, params, key)
    case 'retryFailed':
      return api(retryFailed, params, key)
    case 'resume':
      return api(resumeRollout, params, { body: { reason: step.reason, limits: step.limits }, ...key })
    case 'pause':
    case 'halt': {
      const calls = { pause: pauseRollout, halt: haltRollout }
      return api(calls[step.action], params, { body: { reason: step.reason }, ...key })
    }
    case 'rollBack':
      return api(rollBackRollout, params, { body: { reason: step.reason }, ...key })
    case 'submit':
    case 'approve':
    case 'deny': {
      const calls = { submit: submitRollout, approve: approveRollout, deny: denyRollout }
      return api(calls[step.action], params, { body: { comment: step.comment }, ...key })
    }
    case 'cancel':
      return api(cancelRollout, params, { body: { mode: step.mode, reason: step.reason }, ...key })
  }
}

export const rolloutStepMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (step: StepInput) => take(api, step),
    onSuccess: (rollout, _input, _kept, { client }) => renew(client, rollout),
  })
