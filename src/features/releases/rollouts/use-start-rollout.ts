import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { BodyOf } from '../../../../contract/core/endpoint'
import type { createRollout, Rollout } from '../../../../contract/updates/rollouts'
import { createRolloutMutation, rolloutStepMutation } from '../../../api/mutations/updates/rollouts'
import { createHeldRequest } from '../../../system/form/held-request'
import { useSystem } from '../../../system/system'

type NewRollout = NonNullable<BodyOf<typeof createRollout>>
type FirstStep = { rolloutId: string; action: 'submit' | 'start' }

/** What the button of a plan does: its label, and the label while it is being done. */
export const startLabel = (preview: { requires_approval: boolean } | undefined, startAt?: Date): [string, string] => {
  if (preview?.requires_approval) return ['Ask for approval', 'Asking...']
  return startAt && startAt > new Date() ? ['Schedule rollout', 'Scheduling...'] : ['Start rollout', 'Starting...']
}

export const unansweredText = 'It is not known whether the rollout has started. Try it again: it is not started twice.'

/**
 * Creates a rollout and starts it, or requests its approval. A retry starts one that was created before instead of creating it
 * twice. After an answer was lost it repeats the same request: the preview, and with it the body, may have changed meanwhile.
 */
export const useStartRollout = (releaseId: string) => {
  const { api } = useSystem()
  const [createOnce] = useState(createHeldRequest<NewRollout>)
  const [stepOnce] = useState(createHeldRequest<FirstStep>)
  const [made, setMade] = useState<{ wanted: string; rollout: Rollout }>()
  const create = useMutation(createRolloutMutation(api, releaseId))
  const step = useMutation(rolloutStepMutation(api))
  const start = async (body: NewRollout) => {
    const { preview_hash: _, override_reason, ...plan } = body
    const wanted = JSON.stringify(plan)
    const rollout = made?.wanted === wanted ? made.rollout : await createOnce({ plan, override_reason }, body, create.mutateAsync)
    setMade({ wanted, rollout })
    const first: FirstStep = { rolloutId: rollout.id, action: rollout.requires_approval ? 'submit' : 'start' }
    return stepOnce(first, first, ({ body: input, idempotencyKey }) => step.mutateAsync({ ...input, idempotencyKey }))
  }
  const error = create.error ?? step.error
  return { start, error, isPending: create.isPending || step.isPending }
}
