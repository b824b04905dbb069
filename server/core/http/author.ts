import type { Maker } from '../../../contract/shapes'
import type { User } from './actors'

/** Who made a thing, as it stays with the thing even after they are gone. */
export const makerOf = ({ id, name }: Pick<User, 'id' | 'name'>): Maker => ({ id, name, kind: 'user' })
