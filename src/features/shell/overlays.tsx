import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { recordVisits } from '../../system/back'
import { followRefreshChoice } from '../../system/refresh-choice'
import { useSystem } from '../../system/system'
import { EnvironmentName } from './environment-name'
import { ExperimentalFlask } from './experimental-flask'
import { focusHeadingOfPage } from './focus-heading'
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
  const { queryClient, modals, firstPage } = useSystem()
  useEffect(() => recordVisits(history), [history])
  useEffect(() => followRefreshChoice(queryClient), [queryClient])
  useEffect(() => {
    // Another page may have been opened before this code was loaded.
    if (router.state.resolvedLocation?.pathname !== firstPage.path()) focusHeadingOfPage(modals)
    return router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
      if (pathChanged && fromLocation !== undefined) focusHeadingOfPage(modals)
    })
  }, [router, modals, firstPage])
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
