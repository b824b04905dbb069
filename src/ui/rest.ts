import '../theme/rest.css'
import { addIcons } from './icon/icon'
import { secondaryIcons } from './icon/icon-paths-secondary'

// The styles and icons of everything that is not on the first screen: one chunk, before the first part that uses them.
addIcons(secondaryIcons)
