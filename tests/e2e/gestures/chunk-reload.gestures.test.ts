import { chunkReload } from './chunk-reload.gestures'
import { playPaths } from './play-paths'

await playPaths(chunkReload)
