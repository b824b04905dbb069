import '../theme/rest.css'
import { learnIcons } from './icon'
import { rest } from './icon-paths-rest'

// The styles and icons of everything that is not on the first screen: one chunk, before the first part that uses them.
learnIcons(rest)
