import type { Organization } from '../../../contract/accounts/organization'
import type { OrganizationSummary } from '../../../contract/accounts/organizations'
import type { BaseRole } from '../../../contract/core/roles'
import { formatTimestamp } from '../../core/timestamps'
import type { CountedOrganization, OrganizationRow } from './repository'

type Listed = { organization: OrganizationRow; role: BaseRole; memberCount: number }

export const organizationToSummary = ({ organization, role, memberCount }: Listed): OrganizationSummary => ({
  public_id: organization.publicId,
  name: organization.name,
  base_role: role,
  plan: organization.plan,
  image_url: organization.imageUrl,
  member_count: memberCount,
})

/** One organization as a member with this role sees it. */
export const organizationToJson = (
  { organization: row, memberCount, projectCount }: CountedOrganization,
  role: BaseRole,
): Organization => ({
  public_id: row.publicId,
  name: row.name,
  description: row.description,
  image_url: row.imageUrl,
  plan: row.plan,
  base_role: role,
  member_count: memberCount,
  project_count: projectCount,
  settings: row.settings,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
  revision: row.revision,
})
