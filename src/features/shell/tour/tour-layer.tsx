import { Suspense, useSyncExternalStore } from 'react'
import { lazyPart } from '../../../system/page/lazy'
import { countTourRequests, watchTour } from '../../../system/tour/tour'

const Guide = lazyPart(() => import('./guide').then((part) => part.Guide))

/** §1: the tour, loaded on first use. */
export const TourLayer = () => {
  const asked = useSyncExternalStore(watchTour, countTourRequests)
  return asked > 0 ? (
    <Suspense>
      <Guide key={asked} />
    </Suspense>
  ) : null
}
