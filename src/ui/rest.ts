import '../theme/rest.css'
import { learnIcons } from './icon'
import { rest } from './icon-paths-rest'

// The looks and drawings of all that is not on the first screen: one thing to fetch, before the first part that wears them.
learnIcons(rest)
