import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { recordVisits } from '../../system/page/back'
import { followRefreshChoice } from '../../system/refresh/refresh-choice'
import { useSystem } from '../../system/system'
import { EnvironmentName } from './environment-name'
import { ExperimentalFlask } from './experimental-flask'
import { LiveUpdates } from './live-updates'
import { PageTitle } from './page-title'
import { PaletteLayer } from './palette/palette-layer'
import { RefusedControls } from './refused-controls'
import { RouteProgress } from './route-progress'
import { TourLayer } from './tour/tour-layer'

/** Layers above every page, loaded later. */
export const Overlays = () => {
  const router = useRouter()
  const { history } = router
  const { queryClient } = useSystem()
  useEffect(() => recordVisits(history), [history])
  useEffect(() => followRefreshChoice(queryClient), [queryClient])
  return (
    <>
      <PageTitle />
      <RouteProgress />
      <ExperimentalFlask />
      <EnvironmentName />
      <LiveUpdates />
      <PaletteLayer />
      <TourLayer />
      <RefusedControls />
    </>
  )
}
