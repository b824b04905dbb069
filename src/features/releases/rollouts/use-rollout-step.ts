import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { Rollout } from '../../../../contract/updates/rollouts'
import { failureOf } from '../../../api/failure'
import { type RolloutStep, rolloutStepMutation } from '../../../api/mutations/updates/rollouts'
import { rolloutStateDisplay } from '../../../lib/status-display'
import { notify } from '../../../system/failure/notify'
import { createHeldRequest } from '../../../system/form/held-request'
import { useSystem } from '../../../system/system'

/** The state that has decided a step before it arrived; undefined if it failed for another reason. */
const decidingState = (error: unknown): string | undefined => {
  const failure = failureOf(error)
  if (failure?.status !== 409 || failure.code !== 'conflict') return undefined
  const { about } = failure
  const hasState = typeof about === 'object' && about !== null && 'state' in about
  return hasState && typeof about.state === 'string' ? about.state : undefined
}

/**
 * Takes a step of a rollout. After an answer was lost the same step is repeated with its first key: otherwise it would be refused
 * because of itself, or open a further wave. When somebody was faster, the question is decided: it closes, and a notice says what
 * the state is now.
 */
export const useRolloutStep = ({ id: rolloutId, name }: Pick<Rollout, 'id' | 'name'>, onEnded: () => void) => {
  const { api } = useSystem()
  const [takeOnce] = useState(createHeldRequest<RolloutStep>)
  const { mutateAsync, error, isPending } = useMutation(rolloutStepMutation(api))
  const endIfDecided = (failed: unknown) => {
    const state = decidingState(failed)
    // Another failure is shown in the dialog.
    if (state === undefined) return
    onEnded()
    const { word } = rolloutStateDisplay(state)
    void notify({
      kind: 'warning',
      text: `${name} has changed meanwhile: ${word.toLowerCase()}`,
      detail: 'Your step was not carried out. The page shows how it is now.',
    })
  }
  const take = (step: RolloutStep) => {
    const taken = takeOnce(step, step, ({ body, idempotencyKey }) => mutateAsync({ rolloutId, ...body, idempotencyKey }))
    void taken.then(onEnded, endIfDecided)
  }
  return { take, error, isPending }
}
