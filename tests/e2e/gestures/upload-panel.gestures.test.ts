import { playPaths } from './play-paths'
import { uploadPanel } from './upload-panel.gestures'

await playPaths(uploadPanel)
