import { EnvironmentName } from './environment-name'
import { ExperimentalFlask } from './experimental-flask'
import { PaletteLayer } from './palette/palette-layer'
import { RouteProgress } from './route-progress'
import { TourLayer } from './tour/tour-layer'

/** What lies over every page, and no page waits for. */
export const Overlays = () => (
  <>
    <RouteProgress />
    <ExperimentalFlask />
    <EnvironmentName />
    <PaletteLayer />
    <TourLayer />
  </>
)
