import { fetchPart } from '../lazy'
import type { TourActor } from './tour'

/** The guided tour (§1), whose chart comes when somebody asks for it. */
export type Tour = {
  ask: () => void
  /** How often it was asked for: each time begins anew. */
  asked: () => number
  /** Undefined until it has come. */
  current: () => TourActor | undefined
  subscribe: (changed: () => void) => () => void
}

export const createLazyTour = (): Tour => {
  const listeners = new Set<() => void>()
  let actor: TourActor | undefined
  let asked = 0
  const begin = async () => {
    const { createTour } = await fetchPart(() => import('./tour'))
    actor ??= createTour()
    asked += 1
    for (const listener of listeners) listener()
  }
  return {
    ask: () => void begin(),
    asked: () => asked,
    current: () => actor,
    subscribe: (changed) => {
      listeners.add(changed)
      return () => listeners.delete(changed)
    },
  }
}
