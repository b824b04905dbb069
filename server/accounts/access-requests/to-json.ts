import type { AccessRequest } from '../../../contract/accounts/access-requests'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import type { AskedRequest } from './repository'

export const accessRequestToJson = ({ request, user, decider }: AskedRequest): AccessRequest => ({
  ...entityToJson(request),
  user: { id: user.id, name: user.fullName, email: user.email },
  permission: request.permission,
  project_id: request.projectId,
  reason: request.reason,
  state: request.state,
  decided_by: decider && { id: decider.id, name: decider.fullName || decider.email },
  decided_at: formatTimestampOrNull(request.decidedAt),
})
