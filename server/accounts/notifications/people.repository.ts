import { and, eq, type SQL, sql } from 'drizzle-orm'
import type { NotificationLevel } from '../../../contract/accounts/notifications'
import type { Grants } from '../../../contract/core/permissions'
import { memberPermissionsIn, projectRolePermissions } from '../../../contract/accounts/project-permissions'
import { type BaseRole, type ProjectRole } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { notificationSettings } from '../schema/notifications'
import { members, organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { projectGuests, projectRoles, projects } from '../schema/projects'

type Row = {
  project_id: string
  project_name: string
  public_id: string | null
  organization_name: string | null
  user_id: string
  email: string
  is_owner: boolean
  base_role: BaseRole | null
  project_role: ProjectRole | null
  guest_role: ProjectRole | null
  lacks_factor: boolean
  level: NotificationLevel | null
  version: number | null
}

/** A person in a project, with what they may do there now and what they want to be told. */
export type ProjectPerson = {
  user: { id: string; email: string }
  project: { id: string; name: string }
  organization: { publicId: string; name: string } | null
  grants: Grants
  level: NotificationLevel
  /** Of the unsubscribe links that are valid. */
  version: number
}

/** By the rules of `resolveScope`. */
const grantsOf = (row: Row): Grants => {
  if (row.lacks_factor) return []
  if (row.is_owner) return null
  if (row.base_role) return memberPermissionsIn(row.base_role, row.project_role)
  return row.guest_role ? projectRolePermissions[row.guest_role] : []
}

const toPerson = (row: Row): ProjectPerson => ({
  user: { id: row.user_id, email: row.email },
  project: { id: row.project_id, name: row.project_name },
  organization: row.public_id === null ? null : { publicId: row.public_id, name: row.organization_name ?? '' },
  grants: grantsOf(row),
  level: row.level ?? 'needs_me',
  version: row.version ?? 0,
})

const anyOf = (column: SQL, ids: readonly string[] | undefined) =>
  ids === undefined ? sql`true` : sql`${column} = any(${sql.param([...ids])}::text[])`

type Asked = { projectIds?: readonly string[]; userIds?: readonly string[] }

/** The people of projects, or the projects of people, by the name of the project: members, guests and owners. */
export const listProjectPeople = async (tx: Tx, { projectIds, userIds }: Asked): Promise<ProjectPerson[]> => {
  const inProjects = anyOf(sql`p.id`, projectIds)
  const ofUsers = (column: SQL) => anyOf(column, userIds)
  const { rows } = await tx.execute<Row>(sql`
    with person as (
      select p.id as project_id, m.user_id, false as is_owner, m.base_role, null::text as guest_role
      from ${projects} p inner join ${members} m on m.organization_id = p.organization_id
      where ${inProjects} and ${ofUsers(sql`m.user_id`)}
      union all
      select p.id, p.owner_id, true, null, null from ${projects} p
      where p.owner_id is not null and ${inProjects} and ${ofUsers(sql`p.owner_id`)}
      union all
      select p.id, g.user_id, false, null, g.role from ${projects} p inner join ${projectGuests} g on g.project_id = p.id
      where ${inProjects} and ${ofUsers(sql`g.user_id`)}
    )
    select person.*, p.name as project_name, o.public_id, o.name as organization_name, u.email, r.role as project_role,
      coalesce((o.settings->>'require_mfa')::boolean, false) and not u.mfa_enabled as lacks_factor, s.level, s.version
    from person
    inner join ${projects} p on p.id = person.project_id
    inner join ${users} u on u.id = person.user_id
    left join ${organizations} o on o.id = p.organization_id
    left join ${projectRoles} r on r.project_id = p.id and r.user_id = u.id
    left join ${notificationSettings} s on s.project_id = p.id and s.user_id = u.id
    order by lower(o.name) nulls first, lower(p.name), p.id, u.id`)
  return rows.map(toPerson)
}

/** The ids of the owners of an organization. */
export const listOwners = async (tx: Tx, organizationId: string): Promise<string[]> => {
  const isOwner = and(eq(members.organizationId, organizationId), eq(members.baseRole, 'owner'))
  return (await tx.select({ id: members.userId }).from(members).where(isOwner)).map(({ id }) => id)
}
