import { array, type Infer, object, optional, string, type } from 'superstruct'
import { endpoint, inOrganization, requires } from '../core/endpoint'
import { Permission } from '../core/permissions'
import { BaseRole } from '../core/roles'
import { Id } from '../core/shapes'

/** How many tokens, and rollouts, of a member are looked at. */
export const maxListed = 100

const made = { id: Id, name: string(), project: type({ id: Id, name: string() }) }

export const RoleChange = type({
  /** Tokens that work now and may do less afterwards: a token never may more than its maker. */
  access_tokens: array(type({ ...made, lost: array(Permission) })),
  /** They were scheduled while the member had the right; at their time they wait for somebody who may start them. */
  scheduled_rollouts: array(type(made)),
})
export type RoleChange = Infer<typeof RoleChange>

export const previewRoleChange = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/members/:memberId/role_change',
  summary:
    'Show which access tokens of a member would lose permissions by a role, and which of their scheduled rollouts would wait for another person. Without a role: by their removal.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'none',
  rate: 'read',
  query: object({ base_role: optional(BaseRole) }),
  answer: RoleChange,
})
