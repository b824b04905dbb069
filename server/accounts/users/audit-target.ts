import type { Endpoint } from '../../../contract/endpoint'
import type { Call } from '../../core/http/call'

/** The user as the target of their own action. */
export const ownTarget = ({ user }: Call<Endpoint>) => ({ kind: 'user', id: user.id, name: user.email })
