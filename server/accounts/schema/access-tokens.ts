import { sql } from 'drizzle-orm'
import { type AnyPgColumn, index, integer, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Permission } from '../../../contract/core/permissions'
import { entity, moment } from '../../core/database/schema/columns'
import { users } from './people'
import { projects } from './projects'

/** Tokens with which machines call the API for the person who made them, in one project. */
export const accessTokens = pgTable(
  'access_tokens',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    makerId: text('maker_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    tokenHash: text('token_hash').notNull(),
    prefix: text('prefix').notNull(),
    permissions: text('permissions').array().$type<Permission[]>().notNull(),
    /** Null: until it is revoked. A token that replaces it lives as long. */
    lifetimeDays: integer('lifetime_days'),
    expiresAt: moment('expires_at'),
    /** IP addresses and networks; empty: any address. */
    allowedAddresses: text('allowed_addresses').array().notNull().default([]),
    lastUsedAt: moment('last_used_at'),
    lastUsedIp: text('last_used_ip'),
    rotatedFrom: text('rotated_from').references((): AnyPgColumn => accessTokens.id, { onDelete: 'set null' }),
    replacedAt: moment('replaced_at'),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    uniqueIndex('access_tokens_token').on(table.tokenHash),
    uniqueIndex('access_tokens_name')
      .on(table.projectId, sql`lower(${table.name})`)
      .where(sql`${table.revokedAt} is null and ${table.replacedAt} is null`),
    index('access_tokens_project').on(table.projectId, table.createdAt, table.id),
    index('access_tokens_expiring')
      .on(table.projectId, table.expiresAt, table.id)
      .where(sql`${table.revokedAt} is null and ${table.replacedAt} is null and ${table.expiresAt} is not null`),
    index('access_tokens_maker').on(table.makerId),
    index('access_tokens_rotated').on(table.rotatedFrom),
  ],
)
