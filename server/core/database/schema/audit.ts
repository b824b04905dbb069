import { bigint, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'

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

/** What is counted by one value: the action, the id of the actor, the kind of the target, the result. */
export type AuditField = 'action' | 'actor' | 'kind' | 'result'

/**
 * How many entries of a log have a value: triggers keep it under the lock of the chain. `projectId` is empty for the log of the whole
 * chain. `kind` and `name` are those of an actor, as in its newest entry.
 */
export const auditCounts = pgTable(
  'audit_counts',
  {
    chainId: text('chain_id').notNull(),
    projectId: text('project_id').notNull(),
    field: text('field').$type<AuditField>().notNull(),
    value: text('value').notNull(),
    n: bigint('n', { mode: 'number' }).notNull(),
    /** The sequence of the newest of these entries. */
    newest: bigint('newest', { mode: 'number' }).notNull(),
    kind: text('kind'),
    name: text('name'),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.projectId, table.field, table.value] }),
    index('audit_counts_most').on(table.chainId, table.projectId, table.field, table.n.desc(), table.newest.desc()),
  ],
)
