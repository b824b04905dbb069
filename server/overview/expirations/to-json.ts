import { type Expiration, expirationDays } from '../../../contract/overview/expirations'
import { allows, type Grants, type Permission } from '../../../contract/core/permissions'
import { daysAfter } from '../../core/days'
import { formatTimestamp } from '../../core/timestamps'
import type { ExpirationRow } from './repository'
import { grantsOf, type Seen } from '../visible'

const permissions: Readonly<Record<Expiration['kind'], Permission>> = {
  signing_key: 'project:manage_access',
  access_token: 'project:manage_access',
  enrollment_token: 'project:manage_access',
  invite: 'project:manage_members',
  manifest: 'project:manage_releases',
  certificate: 'project:update',
  subscription: 'organization:manage_billing',
}

const dayMs = 86_400_000
const severityOf = ({ expiresAt, startedAt }: ExpirationRow, now: Date): Expiration['severity'] => {
  if (expiresAt <= now) return 'expired'
  const days = startedAt === null ? Number.POSITIVE_INFINITY : (expiresAt.getTime() - startedAt.getTime()) / dayMs
  if (expiresAt <= daysAfter(now, Math.min(expirationDays.critical, days / 4))) return 'critical'
  return expiresAt <= daysAfter(now, Math.min(expirationDays.warning, days / 2)) ? 'warning' : 'info'
}

/** The pages of the console, by kind: the organization is "none" in the personal space. */
const linkTo = ({ kind, id, projectId, detail }: ExpirationRow, organizationId = 'none'): string => {
  const project = `/organizations/${organizationId}/projects/${projectId}`
  switch (kind) {
    case 'signing_key':
      return detail === 'secure_boot' ? `${project}/access` : `${project}/access/key-rotation`
    case 'access_token':
      return `${project}/access?rotate=${id}`
    case 'enrollment_token':
      return `${project}/access?renew=${id}`
    case 'manifest':
      // A signed manifest cannot be changed: a new release takes its place.
      return `${project}/releases/list/${detail === 'awaiting_signature' ? `${id}/status` : 'add'}`
    case 'certificate':
      return `${project}/secure-boot/list/${detail}`
    case 'invite':
      return projectId === null ? `/account/settings/organizations/list/${organizationId}/invites` : `${project}/members/invites`
    case 'subscription':
      return '/account/settings/subscriptions'
  }
}

export const expirationToJson = ({ projects, organizations }: Seen, row: ExpirationRow, now: Date): Expiration => {
  const project = projects.find(({ id }) => id === row.projectId)
  const organization = project ? project.organization : organizations.find(({ id }) => id === row.organizationId)
  const grants: Grants = project ? project.grants : organization ? grantsOf(organization) : null
  const needed = row.kind === 'invite' && !project ? 'organization:manage_members' : permissions[row.kind]
  return {
    kind: row.kind,
    id: row.id,
    name: row.name,
    project: project ? { id: project.id, name: project.name } : null,
    organization: organization ? { public_id: organization.publicId, name: organization.name } : null,
    expires_at: formatTimestamp(row.expiresAt),
    severity: severityOf(row, now),
    link: linkTo(row, organization?.publicId),
    required_permission: grants === null ? null : needed,
    renewable: allows(grants, [needed]),
  }
}
