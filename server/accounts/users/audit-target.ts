import type { Endpoint } from '../../../contract/core/endpoint'
import type { Call } from '../../core/http/call'

/** The caller as the target of their audit entry, for changes of their own account. */
export const callerAsAuditTarget = ({ user }: Call<Endpoint>) => ({ kind: 'user', id: user.id, name: user.email })
