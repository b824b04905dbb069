import { boolean, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Infer } from 'superstruct'
import type { OrganizationSettings } from '../../../contract/accounts/organization'
import type { Plan } from '../../../contract/accounts/plans'
import type { BaseRole } from '../../../contract/core/roles'
import { entity, moment } from '../../core/database/schema/columns'
import { users } from './people'

export const organizations = pgTable(
  'organizations',
  {
    ...entity,
    publicId: text('public_id').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    imageUrl: text('image_url'),
    plan: text('plan').$type<Plan>().notNull(),
    settings: jsonb('settings').$type<Infer<typeof OrganizationSettings>>().notNull(),
    createdBy: text('created_by')
      .notNull()
      .references(() => users.id),
  },
  (table) => [uniqueIndex('organizations_public_id').on(table.publicId), index('organizations_maker').on(table.createdBy)],
)

export const members = pgTable(
  'members',
  {
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    baseRole: text('base_role').$type<BaseRole>().notNull(),
    joinedAt: moment('joined_at').notNull(),
    invitedBy: text('invited_by'),
    /** A group of the identity provider gave the role: it ends with the group. */
    byGroup: boolean('by_group').notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.organizationId, table.userId] }), index('members_user').on(table.userId)],
)
