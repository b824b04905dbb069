import { useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { recordVisits } from '../../system/back'
import { EnvironmentName } from './environment-name'
import { ExperimentalFlask } from './experimental-flask'
import { LiveUpdates } from './live-updates'
import { PaletteLayer } from './palette/palette-layer'
import { RefusedControls } from './refused-controls'
import { RouteProgress } from './route-progress'
import { TourLayer } from './tour/tour-layer'

/** Layers above every page, loaded later. */
export const Overlays = () => {
  const { history } = useRouter()
  useEffect(() => recordVisits(history), [history])
  return (
    <>
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
