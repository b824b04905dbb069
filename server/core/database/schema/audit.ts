import { bigint, pgTable, text } from 'drizzle-orm/pg-core'

/** One chain per organization or personal space; the row's lock gives its entries their order. `id` is the space's id. */
export const auditChains = pgTable('audit_chains', {
  id: text('id').primaryKey(),
  sequence: bigint('sequence', { mode: 'number' }).notNull(),
  hash: text('hash').notNull(),
  /** Everything up to here was trimmed by retention; the rest still verifies from this hash. */
  checkpointSequence: bigint('checkpoint_sequence', { mode: 'number' }).notNull().default(0),
  checkpointHash: text('checkpoint_hash').notNull(),
  /** Of retention, by the key of the installation, base64; null while nothing was trimmed. */
  checkpointSignature: text('checkpoint_signature'),
})
