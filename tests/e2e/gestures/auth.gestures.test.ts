import { auth } from './auth.gestures'
import { playPaths } from './play-paths'

await playPaths(auth)
