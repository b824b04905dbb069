import { boolean, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, requires, inOrganization, session } from '../core/endpoint'
import { minAuditDays, planLimits } from './plan-limits'
import { Plan } from './plans'
import { BaseRole } from '../core/roles'
import { text, boundedInteger } from '../core/rules'
import { PublicId, Timestamp } from '../core/shapes'

export const OrganizationSettings = type({
  require_mfa: boolean(),
  session_idle_s: integer(),
  default_role: BaseRole,
  require_release_approval: boolean(),
  audit_retention_days: integer(),
})

export const Organization = type({
  public_id: PublicId,
  name: string(),
  description: string(),
  image_url: nullable(string()),
  plan: Plan,
  base_role: BaseRole,
  member_count: integer(),
  project_count: integer(),
  settings: OrganizationSettings,
  created_at: Timestamp,
  updated_at: Timestamp,
  revision: integer(),
})
export type Organization = Infer<typeof Organization>

const name = text('Name', { min: 2, max: 64 })
const description = text('Description', { min: 0, max: 256 })

/** The form of "Add organization". */
export const NewOrganization = object({ name, description: optional(description) })

/** The edit form, and the body it sends. */
export const OrganizationChange = object({
  name: optional(name),
  description: optional(description),
  settings: optional(
    object({
      require_mfa: optional(boolean()),
      session_idle_s: optional(boundedInteger('Session idle time', 900, 86_400)),
      default_role: optional(BaseRole),
      require_release_approval: optional(boolean()),
      /** At most `audit_days` of the plan. */
      audit_retention_days: optional(boundedInteger('Audit log retention', minAuditDays, planLimits.production.audit_days)),
    }),
  ),
})

export const createOrganization = endpoint({
  method: 'POST',
  path: '/organizations',
  summary: 'Create an organization, owned by the caller. 402 over the plan.',
  needs: session,
  audit: 'organization.create',
  rate: 'write',
  body: NewOrganization,
  answer: Organization,
  status: 201,
})
export const organization = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId',
  summary: 'Get an organization.',
  needs: requires(inOrganization, 'organization:view'),
  audit: 'none',
  rate: 'read',
  answer: Organization,
})
export const updateOrganization = endpoint({
  method: 'PATCH',
  path: '/organizations/:organizationId',
  summary: 'Change the name, description and settings of an organization.',
  needs: requires(inOrganization, 'organization:update'),
  audit: 'organization.update',
  rate: 'write',
  conditional: true,
  body: OrganizationChange,
  answer: Organization,
})
export const deleteOrganization = endpoint({
  method: 'DELETE',
  path: '/organizations/:organizationId',
  summary: 'Delete an organization without projects and without a subscription that goes on. 409 has_projects, has_subscription.',
  needs: requires(inOrganization, 'organization:delete'),
  audit: 'organization.delete',
  rate: 'write',
  conditional: true,
  body: object({ confirm_name: string() }),
  answer: 'none',
})
export const leaveOrganization = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/leave',
  summary: 'Leave an organization. 409 last_owner.',
  needs: requires(inOrganization),
  audit: 'organization.leave',
  rate: 'write',
  answer: 'none',
})
