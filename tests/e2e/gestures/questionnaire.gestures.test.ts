import { playPaths } from './play-paths'
import { questionnaire } from './questionnaire.gestures'

await playPaths(questionnaire)
