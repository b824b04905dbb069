import { paths } from './icon-paths'
import type { secondaryIcons } from './icon-paths-secondary'

/** The other chevrons are `down`, rotated. */
const turns = { up: 180, right: -90, left: 90 }

type Turned = keyof typeof turns
type Drawn = keyof typeof paths | keyof typeof secondaryIcons
export type IconName = Drawn | Turned | 'more'

const known: Partial<Record<Drawn, string>> = { ...paths }
/** Adds the icons of `rest.ts`, which the first screen does not need. */
export const addIcons = (more: typeof secondaryIcons) => Object.assign(known, more)

const isTurned = (name: IconName): name is Turned => name in turns

const drawing = (name: IconName) => {
  if (name === 'more') return <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth={2.4} />
  if (isTurned(name)) return <path d={paths.down} transform={`rotate(${turns[name]} 8 8)`} />
  return <path d={known[name]} />
}

type Props = { name: IconName; size?: number; label?: string }

/** An icon before a word; alone it needs `label` (or an `IconButton` around it, which has one). */
export const Icon = ({ name, size = 16, label }: Props) => (
  <svg
    width={size}
    height={size}
    viewBox="0 0 16 16"
    fill="none"
    stroke="currentColor"
    strokeWidth={size <= 12 ? 1.6 : 1.4}
    strokeLinecap="round"
    strokeLinejoin="round"
    role={label ? 'img' : undefined}
    aria-label={label}
    aria-hidden={label ? undefined : true}
  >
    {drawing(name)}
  </svg>
)
