import type { Author } from '../../../contract/core/shapes'
import type { User } from './actors'

/** The author as stored with an object; stays after the account is deleted. */
export const toAuthor = ({ id, name }: Pick<User, 'id' | 'name'>): Author => ({ id, name, kind: 'user' })
