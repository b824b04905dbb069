import { boolean, enums, type Infer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, requires, inProject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { ProjectRole, projectRoles } from '../core/roles'
import { Id, Timestamp } from '../core/shapes'

/** The owner of a personal project, or a guest in it. */
export const Guest = type({
  user: type({ id: Id, name: string(), email: string(), image_url: nullable(string()) }),
  base_role: enums(['owner', ...projectRoles]),
  joined_at: Timestamp,
  last_active_at: nullable(Timestamp),
  mfa_enabled: boolean(),
  invited_by: nullable(type({ id: Id, name: string() })),
})
export type Guest = Infer<typeof Guest>

export const projectMembers = endpoint({
  method: 'GET',
  path: '/projects/:projectId/members',
  summary: 'List the owner and the guests of a personal project. 409 organization_owned for other projects.',
  needs: requires(inProject, 'project:view'),
  tokens: false,
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('members', Guest),
})
export const projectMember = endpoint({
  method: 'GET',
  path: '/projects/:projectId/members/:memberId',
  summary: 'Get a member of a personal project.',
  needs: requires(inProject, 'project:view'),
  tokens: false,
  audit: 'none',
  rate: 'read',
  answer: Guest,
})
export const updateProjectMember = endpoint({
  method: 'PATCH',
  path: '/projects/:projectId/members/:memberId',
  summary: 'Change the role of a guest.',
  needs: requires(inProject, 'project:manage_members'),
  tokens: false,
  audit: 'member.role_change',
  rate: 'write',
  body: object({
    base_role: ProjectRole,
    /** The role that the caller saw: 409 if it is another one now. */
    expected_base_role: optional(ProjectRole),
  }),
  answer: Guest,
})
export const removeProjectMember = endpoint({
  method: 'DELETE',
  path: '/projects/:projectId/members/:memberId',
  summary: 'Remove a guest from a personal project. Guests can remove themselves.',
  needs: { kind: 'self', scope: inProject, or: ['project:manage_members'] },
  audit: 'member.remove',
  rate: 'write',
  answer: 'none',
})
