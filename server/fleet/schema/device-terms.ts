import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'
import { devices } from './devices'

/**
 * The attributes and trusted keys of each device that is not deleted, as numbers (`attribute_term`, `key_term` of the migration),
 * kept by triggers on devices. A table of its own, as the texts of devices: each contact writes all indexes of a device's row.
 */
export const deviceTerms = pgTable(
  'device_terms',
  {
    deviceId: text('device_id')
      .primaryKey()
      .references(() => devices.id, { onDelete: 'cascade' }),
    terms: bigint('terms', { mode: 'bigint' }).array().notNull(),
  },
  (table) => [index('device_terms_by_term').using('gin', table.terms).with({ gin_pending_list_limit: 64 })],
)
