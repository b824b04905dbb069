import { type ActorRefFrom, createActor } from 'xstate'
import { tourMachine } from '../../../machines/tour/tour.machine'
import { actorOptions } from '../inspection'

export type TourActor = ActorRefFrom<typeof tourMachine>

/** The guided tour (§1); idle until it is requested. */
export const tour: TourActor = createActor(tourMachine, actorOptions).start()

const listeners = new Set<() => void>()
let times = 0

/** Each request starts it from the first step. */
export const requestTour = (): void => {
  times += 1
  for (const listener of listeners) listener()
}
export const countTourRequests = (): number => times
export const watchTour = (changed: () => void) => {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
