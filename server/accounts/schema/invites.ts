import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { AccessRequest } from '../../../contract/accounts/access-requests'
import type { InviteState } from '../../../contract/accounts/invites'
import type { Permission } from '../../../contract/core/permissions'
import type { BaseRole, ProjectRole } from '../../../contract/core/roles'
import { entity, moment } from '../../core/database/schema/columns'
import { organizations } from './organizations'
import { users } from './people'
import { projects } from './projects'

/** Into an organization or a personal project: exactly one of the two is set. Only a hash of the link's secret is stored. */
export const invites = pgTable(
  'invites',
  {
    ...entity,
    organizationId: text('organization_id').references(() => organizations.id, { onDelete: 'cascade' }),
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    role: text('role').$type<BaseRole | ProjectRole>().notNull(),
    message: text('message').notNull(),
    tokenHash: text('token_hash').notNull(),
    /** Hash of a second secret that only the mail contains: it proves access to the mailbox. The inviter never sees it. */
    mailHash: text('mail_hash'),
    state: text('state').$type<InviteState>().notNull(),
    invitedBy: text('invited_by')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    expiresAt: moment('expires_at').notNull(),
    lastSentAt: moment('last_sent_at').notNull(),
    sendCount: integer('send_count').notNull(),
  },
  (table) => [
    check('invites_one_home', sql`num_nonnulls(${table.organizationId}, ${table.projectId}) = 1`),
    uniqueIndex('invites_token').on(table.tokenHash),
    // One open invite per address and target.
    uniqueIndex('invites_organization_open')
      .on(table.organizationId, table.email)
      .where(sql`${table.state} = 'pending' and ${table.organizationId} is not null`),
    uniqueIndex('invites_project_open')
      .on(table.projectId, table.email)
      .where(sql`${table.state} = 'pending' and ${table.projectId} is not null`),
    index('invites_organization_created').on(table.organizationId, table.createdAt),
    index('invites_project_created').on(table.projectId, table.createdAt),
    index('invites_lapsing')
      .on(table.expiresAt)
      .where(sql`${table.state} = 'pending'`),
    index('invites_inviter').on(table.invitedBy),
  ],
)

/** Requests of members for a permission that they do not have. */
export const accessRequests = pgTable(
  'access_requests',
  {
    ...entity,
    organizationId: text('organization_id')
      .notNull()
      .references(() => organizations.id, { onDelete: 'cascade' }),
    userId: text('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    permission: text('permission').$type<Permission>().notNull(),
    projectId: text('project_id').references(() => projects.id, { onDelete: 'cascade' }),
    reason: text('reason').notNull(),
    state: text('state').$type<AccessRequest['state']>().notNull(),
    decidedBy: text('decided_by').references(() => users.id, { onDelete: 'set null' }),
    decidedAt: moment('decided_at'),
  },
  (table) => [
    uniqueIndex('access_requests_open')
      .on(table.organizationId, table.userId, table.permission)
      .where(sql`${table.state} = 'open'`),
    index('access_requests_created').on(table.organizationId, table.createdAt),
    index('access_requests_user').on(table.userId),
  ],
)
