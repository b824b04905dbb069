import { EnvironmentName } from './environment-name'
import { ExperimentalFlask } from './experimental-flask'
import { PaletteLayer } from './palette/palette-layer'
import { RouteProgress } from './route-progress'
import { TourLayer } from './tour/tour-layer'

/** Layers above every page, loaded later. */
export const Overlays = () => (
  <>
    <RouteProgress />
    <ExperimentalFlask />
    <EnvironmentName />
    <PaletteLayer />
    <TourLayer />
  </>
)
