import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../../../system/lazy'
import { useSystem } from '../../../system/system'

const Guide = lazyPart(() => import('./guide').then((part) => part.Guide))

/** §1: the tour, once somebody has asked for it. */
export const TourLayer = () => {
  const { tour } = useSystem()
  const asked = useSyncExternalStore(tour.subscribe, tour.asked)
  const actor = tour.current()
  return actor ? (
    <Suspense>
      <Guide key={asked} actor={actor} />
    </Suspense>
  ) : null
}
