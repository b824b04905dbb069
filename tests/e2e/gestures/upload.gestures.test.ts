import { playPaths } from './play-paths'
import { upload } from './upload.gestures'

await playPaths(upload)
