import { enums, type Infer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, requires, inOrganization } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { Permission } from '../core/permissions'
import { BaseRole } from '../core/roles'
import { text } from '../core/rules'
import { entity, Id, Timestamp } from '../core/shapes'

const RequestState = enums(['open', 'granted', 'denied'])

export const AccessRequest = type({
  ...entity,
  user: type({ id: Id, name: string(), email: string() }),
  permission: Permission,
  project_id: nullable(Id),
  reason: string(),
  state: RequestState,
  decided_by: nullable(type({ id: Id, name: string() })),
  decided_at: nullable(Timestamp),
})
export type AccessRequest = Infer<typeof AccessRequest>

export const NewAccessRequest = object({
  permission: Permission,
  project_id: optional(nullable(Id)),
  reason: optional(text('Reason', { min: 0, max: 500, lines: true })),
})

export const accessRequests = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/access_requests',
  summary: 'List the access requests of an organization. Without organization:manage_members, only those of the caller.',
  needs: requires(inOrganization),
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, state: optional(RequestState) }),
  answer: listOf('access_requests', AccessRequest),
})
export const createAccessRequest = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/access_requests',
  summary: 'Ask the people who manage members for a permission, by mail. 409 already_held, already_asked.',
  needs: requires(inOrganization),
  audit: 'access_request.create',
  rate: 'write',
  body: NewAccessRequest,
  answer: AccessRequest,
  status: 201,
})
export const grantAccessRequest = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/access_requests/:accessRequestId/grant',
  summary: 'Grant an access request by giving a role with the permission. The rules for role changes apply.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'access_request.grant',
  rate: 'write',
  body: object({ base_role: BaseRole }),
  answer: AccessRequest,
})
export const denyAccessRequest = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/access_requests/:accessRequestId/deny',
  summary: 'Deny an access request. The person who asked gets a mail.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'access_request.deny',
  rate: 'write',
  answer: AccessRequest,
})
