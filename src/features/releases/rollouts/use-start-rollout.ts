import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import type { BodyOf } from '../../../../contract/endpoint'
import type { createRollout, Rollout } from '../../../../contract/rollouts'
import { createRolloutMutation, rolloutStepMutation } from '../../../api/mutations/rollouts'
import { useSystem } from '../../../system/system'

type NewRollout = NonNullable<BodyOf<typeof createRollout>>

/** What the button of a plan does: its label, and the label while it is being done. */
export const startLabel = (preview: { requires_approval: boolean } | undefined, startAt?: Date): [string, string] => {
  if (preview?.requires_approval) return ['Ask for approval', 'Asking...']
  return startAt && startAt > new Date() ? ['Schedule rollout', 'Scheduling...'] : ['Start rollout', 'Starting...']
}

/**
 * Creates a rollout and starts it, or requests its approval. A retry starts one that was created before instead of creating it
 * twice.
 */
export const useStartRollout = (releaseId: string) => {
  const { api } = useSystem()
  const [key] = useState(() => crypto.randomUUID())
  const [made, setMade] = useState<{ wanted: string; rollout: Rollout }>()
  const create = useMutation(createRolloutMutation(api, releaseId))
  const step = useMutation(rolloutStepMutation(api))
  const start = async (body: NewRollout) => {
    const { preview_hash, override_reason: _, ...plan } = body
    const wanted = JSON.stringify(plan)
    const idempotencyKey = `${key}-${preview_hash.slice(0, 16)}`
    const rollout = made?.wanted === wanted ? made.rollout : await create.mutateAsync({ body, idempotencyKey })
    setMade({ wanted, rollout })
    return step.mutateAsync({ rolloutId: rollout.id, action: rollout.requires_approval ? 'submit' : 'start' })
  }
  return { start, error: create.error ?? step.error, isPending: create.isPending || step.isPending }
}
