import { organization } from './organization.gestures'
import { playPaths } from './play-paths'

await playPaths(organization)
