import type { BaseRole } from '../../../contract/core/roles'
import type { Hosts, Visitor } from './hosts'

/** Makes a user a member of an organization, as an accepted invitation would. */
export const join = (hosts: Hosts, organizationId: string, { email }: Visitor, role: BaseRole) =>
  hosts.sql(
    `insert into members (organization_id, user_id, base_role, joined_at)
     select o.id, u.id, $3, now() from organizations o, users u where o.public_id = $1 and u.email = $2`,
    [organizationId, email, role],
  )
