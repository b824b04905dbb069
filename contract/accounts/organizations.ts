import { array, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, inOrganization, session } from '../core/endpoint'
import { PermissionGroups } from '../core/permissions'
import { Plan } from './plans'
import { BaseRole } from '../core/roles'
import { PublicId } from '../core/shapes'

export const OrganizationSummary = type({
  public_id: PublicId,
  name: string(),
  base_role: BaseRole,
  plan: Plan,
  image_url: nullable(string()),
  member_count: integer(),
})
export type OrganizationSummary = Infer<typeof OrganizationSummary>

export const organizations = endpoint({
  method: 'GET',
  path: '/organizations',
  summary: 'List the organizations of the caller (§7).',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ organizations: array(OrganizationSummary) }),
})

export const MemberPermissions = type({ permissions: PermissionGroups, baseRole: nullable(string()) })
export type MemberPermissions = Infer<typeof MemberPermissions>

export const memberPermissions = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/members/:memberId/permissions',
  summary: 'Get the permissions of a member, here or in one project (§7). `self` is the caller (R24).',
  needs: { kind: 'self', scope: inOrganization, or: ['organization:manage_members'] },
  audit: 'none',
  rate: 'read',
  query: object({ project_id: optional(string()) }),
  answer: MemberPermissions,
})
