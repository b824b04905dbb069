import { sql } from 'drizzle-orm'
import { boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { Author } from '../../../contract/core/shapes'
import { projects } from '../../accounts/schema/projects'
import { entity, moment } from '../../core/database/schema/columns'

export const signingKeys = pgTable(
  'signing_keys',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    algorithm: text('algorithm').$type<SigningKey['algorithm']>().notNull(),
    publicKeyPem: text('public_key_pem').notNull(),
    fingerprint: text('fingerprint').notNull(),
    custody: text('custody').$type<SigningKey['custody']>().notNull(),
    purpose: text('purpose').$type<SigningKey['purpose']>().notNull(),
    state: text('state').$type<SigningKey['state']>().notNull(),
    stateReason: text('state_reason'),
    expiresAt: moment('expires_at'),
    lastUsedAt: moment('last_used_at'),
    isKnownTestKey: boolean('is_known_test_key').notNull().default(false),
  },
  (table) => [
    uniqueIndex('signing_keys_project_name').on(table.projectId, sql`lower(${table.name})`),
    uniqueIndex('signing_keys_project_fingerprint').on(table.projectId, table.fingerprint),
    index('signing_keys_expiring')
      .on(table.projectId, table.expiresAt, table.id)
      .where(sql`${table.state} = 'active' and ${table.expiresAt} is not null`),
  ],
)

/** Published key lists. Each is signed by a key of the one before, so that devices can follow from any of them. */
export const keyLists = pgTable(
  'key_lists',
  {
    ...entity,
    projectId: text('project_id')
      .notNull()
      .references(() => projects.id, { onDelete: 'cascade' }),
    counter: integer('counter').notNull(),
    envelope: text('envelope').notNull(),
    /** The fingerprint of the key that signed it. */
    signedBy: text('signed_by').notNull(),
    /** The fingerprints of the keys that devices trust by this list. */
    fingerprints: text('fingerprints').array().notNull(),
    createdBy: jsonb('created_by').$type<Author>().notNull(),
  },
  (table) => [uniqueIndex('key_lists_project_counter').on(table.projectId, table.counter)],
)
