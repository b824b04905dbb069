import { sql } from 'drizzle-orm'
import { check, foreignKey, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { ProjectRole } from '../../../contract/core/roles'
import { entity, moment } from '../../core/database/schema/columns'
import { members, organizations } from './organizations'
import { users } from './people'

/** Of an organization, or of a person: exactly one of the two is set. */
export const projects = pgTable(
  'projects',
  {
    ...entity,
    organizationId: text('organization_id').references(() => organizations.id),
    ownerId: text('owner_id').references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    settings: jsonb('settings').$type<ProjectSettings>().notNull(),
  },
  (table) => [
    check('projects_one_owner', sql`num_nonnulls(${table.organizationId}, ${table.ownerId}) = 1`),
    uniqueIndex('projects_organization_name')
      .on(table.organizationId, sql`lower(${table.name})`)
      .where(sql`${table.organizationId} is not null`),
    uniqueIndex('projects_owner_name')
      .on(table.ownerId, sql`lower(${table.name})`)
      .where(sql`${table.ownerId} is not null`),
    index('projects_organization_created').on(table.organizationId, table.createdAt),
    index('projects_owner_created').on(table.ownerId, table.createdAt),
  ],
)

/** Guests of personal projects. */
export const projectGuests = pgTable(
  'project_guests',
  {
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    role: text('role').$type<ProjectRole>().notNull(),
    joinedAt: moment('joined_at').notNull(),
    invitedBy: text('invited_by'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.userId] }), index('project_guests_user').on(table.userId)],
)

/** Members of an organization who have another role in one of its projects. Ends with the membership. */
export const projectRoles = pgTable(
  'project_roles',
  {
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    organizationId: text('organization_id').notNull(),
    userId: text('user_id').notNull(),
    role: text('role').$type<ProjectRole>().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.projectId, table.userId] }),
    foreignKey({
      name: 'project_roles_member',
      columns: [table.organizationId, table.userId],
      foreignColumns: [members.organizationId, members.userId],
    }).onDelete('cascade'),
    index('project_roles_member').on(table.organizationId, table.userId),
  ],
)
