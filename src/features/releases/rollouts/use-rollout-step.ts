import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { type RolloutStep, rolloutStepMutation } from '../../../api/mutations/updates/rollouts'
import { createHeldRequest } from '../../../system/form/held-request'
import { useSystem } from '../../../system/system'

/**
 * Takes a step of a rollout. After an answer was lost the same step is repeated with its first key: otherwise it would be refused
 * because of itself, or open a further wave.
 */
export const useRolloutStep = (rolloutId: string, onTaken: () => void) => {
  const { api } = useSystem()
  const [takeOnce] = useState(createHeldRequest<RolloutStep>)
  const { mutateAsync, error, isPending } = useMutation(rolloutStepMutation(api))
  const take = (step: RolloutStep) => {
    const taken = takeOnce(step, step, ({ body, idempotencyKey }) => mutateAsync({ rolloutId, ...body, idempotencyKey }))
    // A failure is shown in the dialog.
    void taken.then(onTaken, () => undefined)
  }
  return { take, error, isPending }
}
