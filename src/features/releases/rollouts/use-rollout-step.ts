import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { failureOf } from '../../../api/failure'
import { type RolloutStep, rolloutStepMutation } from '../../../api/mutations/updates/rollouts'
import { rolloutStateDisplay } from '../../../lib/status-display'
import { notify } from '../../../system/failure/notify'
import { createHeldRequest } from '../../../system/form/held-request'
import { useSystem } from '../../../system/system'

/** The state that has decided a step before it arrived, and what the server says of it; undefined if it failed for another reason. */
const decisionOf = (error: unknown): { state: string; message: string } | undefined => {
  const failure = failureOf(error)
  if (failure?.status !== 409 || failure.code !== 'conflict') return undefined
  const { about } = failure
  const hasState = typeof about === 'object' && about !== null && 'state' in about
  return hasState && typeof about.state === 'string' ? { state: about.state, message: failure.message } : undefined
}

/**
 * Takes a step of a rollout. After an answer was lost the same step is repeated with its first key: otherwise it would be refused
 * because of itself, or open a further wave. When somebody was faster, the question is decided: it closes, and a notice says what
 * is so now.
 */
export const useRolloutStep = ({ id: rolloutId, name }: Pick<Rollout, 'id' | 'name'>, onEnded: () => void) => {
  const { api } = useSystem()
  const [takeOnce] = useState(createHeldRequest<RolloutStep>)
  const { mutateAsync, error, isPending } = useMutation(rolloutStepMutation(api))
  const endIfDecided = (failed: unknown) => {
    const decision = decisionOf(failed)
    // Another failure is shown in the dialog.
    if (decision === undefined) return
    onEnded()
    const { word } = rolloutStateDisplay(decision.state)
    void notify({
      kind: 'warning',
      text: `${name} has changed meanwhile: ${word.toLowerCase()}`,
      detail: `${decision.message}. Your step was not carried out.`,
    })
  }
  const take = (step: RolloutStep) => {
    const taken = takeOnce(step, step, ({ body, idempotencyKey }) => mutateAsync({ rolloutId, ...body, idempotencyKey }))
    void taken.then(onEnded, endIfDecided)
  }
  return { take, error: decisionOf(error) ? null : error, isPending }
}
