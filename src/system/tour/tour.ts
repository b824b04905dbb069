import { type ActorRefFrom, createActor } from 'xstate'
import { tourMachine } from '../../../machines/tour/tour.machine'

export type TourActor = ActorRefFrom<typeof tourMachine>

export const createTour = (): TourActor => createActor(tourMachine).start()
