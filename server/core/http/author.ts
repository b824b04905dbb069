import type { Maker } from '../../../contract/shapes'
import type { User } from './actors'

/** The author as stored with an object; stays after the account is deleted. */
export const makerOf = ({ id, name }: Pick<User, 'id' | 'name'>): Maker => ({ id, name, kind: 'user' })
