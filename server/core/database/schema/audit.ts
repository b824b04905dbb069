import { bigint, pgTable, text } from 'drizzle-orm/pg-core'

/**
 * One chain per organization or personal space. The lock on its row gives the entries their order. `id` is the id of the
 * organization or user.
 */
export const auditChains = pgTable('audit_chains', {
  id: text('id').primaryKey(),
  sequence: bigint('sequence', { mode: 'number' }).notNull(),
  hash: text('hash').notNull(),
  /** Retention has trimmed everything up to here; the rest still verifies from this hash. */
  checkpointSequence: bigint('checkpoint_sequence', { mode: 'number' }).notNull().default(0),
  checkpointHash: text('checkpoint_hash').notNull(),
  /** Made at the last trim with the key of the installation, base64; null if nothing was trimmed. */
  checkpointSignature: text('checkpoint_signature'),
})
