import { array, boolean, type Infer, nullable, object, optional, size, string, type } from 'superstruct'
import { boundedList } from '../core/bounded'
import { endpoint, requires, inOrganization } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { BaseRole, ProjectRole } from '../core/roles'
import { Id, Timestamp } from '../core/shapes'

export const Member = type({
  user: type({ id: Id, name: string(), email: string(), image_url: nullable(string()) }),
  base_role: BaseRole,
  /** Other roles in single projects; without effect for owners and admins. */
  project_roles: array(type({ project_id: Id, project_name: string(), role: ProjectRole })),
  /** A group of the person's company account gave the role, and sets it again at each sign-in. */
  by_group: boolean(),
  joined_at: Timestamp,
  last_active_at: nullable(Timestamp),
  mfa_enabled: boolean(),
  invited_by: nullable(type({ id: Id, name: string() })),
})
export type Member = Infer<typeof Member>

export const members = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/members',
  summary: 'List the members of an organization.',
  needs: requires(inOrganization, 'organization:view'),
  audit: 'none',
  rate: 'read',
  query: object({ ...listQuery, role: optional(BaseRole) }),
  answer: listOf('members', Member),
})
export const member = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/members/:memberId',
  summary: 'Get a member of an organization.',
  needs: requires(inOrganization, 'organization:view'),
  audit: 'none',
  rate: 'read',
  answer: Member,
})
export const updateMember = endpoint({
  method: 'PATCH',
  path: '/organizations/:organizationId/members/:memberId',
  summary:
    "Change the role of a member, or their role in single projects (null: that of the organization). Refused for a role above the caller's, for the caller and for the last owner.",
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'member.role_change',
  rate: 'write',
  body: object({
    base_role: optional(BaseRole),
    /** The role that the caller saw: 409 if it is another one now. */
    expected_base_role: optional(BaseRole),
    project_roles: optional(
      size(
        boundedList(object({ project_id: Id, role: nullable(ProjectRole), expected_role: optional(nullable(ProjectRole)) }), 100),
        1,
        100,
      ),
    ),
  }),
  answer: Member,
})
export const removeMember = endpoint({
  method: 'DELETE',
  path: '/organizations/:organizationId/members/:memberId',
  summary: 'Remove a member from an organization. 409 last_owner.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'member.remove',
  rate: 'write',
  answer: 'none',
})
