import { and, eq, gte, lte, min, ne, sql } from 'drizzle-orm'
import type { Plan } from '../../../contract/accounts/plans'
import { auditChains } from '../../core/database/schema/audit'
import { auditEntries } from '../../core/database/schema/audit-entries.partitioned'
import type { Tx } from '../../core/database/tx'
import { organizations } from '../schema/organizations'
import { users } from '../schema/people'

export type ChainRow = typeof auditChains.$inferSelect

export const findChain = async (tx: Tx, id: string): Promise<ChainRow | undefined> => {
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, id))
  return chain
}

export const listChains = (tx: Tx): Promise<ChainRow[]> => tx.select().from(auditChains)

export const listChainIds = async (tx: Tx): Promise<string[]> =>
  (await tx.select({ id: auditChains.id }).from(auditChains)).map(({ id }) => id)

/**
 * The chains with the plan of their organization or person and the days that the organization keeps its log; the plan is null
 * where the owner was deleted, and a person has no setting.
 */
export const listChainPlans = (tx: Tx) => {
  const plan = sql<Plan | null>`coalesce(${organizations.plan}, ${users.pricingPlan})`
  const days = sql<number | null>`(${organizations.settings} ->> 'audit_retention_days')::int`
  return tx
    .select({ id: auditChains.id, plan, days })
    .from(auditChains)
    .leftJoin(organizations, eq(organizations.id, auditChains.id))
    .leftJoin(users, eq(users.id, auditChains.id))
}

export const findEntryHash = async (tx: Tx, chainId: string, sequence: number): Promise<string | undefined> => {
  const [entry] = await tx
    .select({ hash: auditEntries.hash })
    .from(auditEntries)
    .where(and(eq(auditEntries.chainId, chainId), eq(auditEntries.sequence, sequence)))
  return entry?.hash
}

/** The first entry of a chain since a time; null if there is none. */
export const findSequenceSince = async (tx: Tx, chainId: string, since: Date): Promise<number | null> => {
  const [first] = await tx
    .select({ sequence: min(auditEntries.sequence) })
    .from(auditEntries)
    .where(and(eq(auditEntries.chainId, chainId), gte(auditEntries.occurredAt, since)))
  return first?.sequence ?? null
}

/** Locks a chain in a transaction that may remove entries: the triggers of the tables check the setting (rules/audit.sql). */
export const lockForRetention = async (tx: Tx, id: string): Promise<ChainRow | undefined> => {
  await tx.execute(sql`set local teasel.retention = 'on'`)
  const [chain] = await tx.select().from(auditChains).where(eq(auditChains.id, id)).for('update')
  return chain
}

type Checkpoint = Pick<ChainRow, 'checkpointSequence' | 'checkpointHash' | 'checkpointSignature'>

export const updateCheckpoint = async (tx: Tx, id: string, checkpoint: Checkpoint): Promise<void> => {
  await tx.update(auditChains).set(checkpoint).where(eq(auditChains.id, id))
}

export const deleteEntriesUntil = async (tx: Tx, chainId: string, sequence: number): Promise<void> => {
  await tx.delete(auditEntries).where(and(eq(auditEntries.chainId, chainId), lte(auditEntries.sequence, sequence)))
}

/** Whether entries of a chain up to one of them record anything but retention itself. */
export const hasFactsUntil = async (tx: Tx, chainId: string, sequence: number): Promise<boolean> => {
  const [entry] = await tx
    .select({ sequence: auditEntries.sequence })
    .from(auditEntries)
    .where(and(eq(auditEntries.chainId, chainId), lte(auditEntries.sequence, sequence), ne(auditEntries.action, 'audit.trim')))
    .limit(1)
  return entry !== undefined
}

/** The time of the database. */
export const findDatabaseTime = async (tx: Tx): Promise<Date> => {
  const { rows } = await tx.execute<{ now: Date }>(sql`select now()`)
  return new Date(rows[0]?.now ?? Number.NaN)
}
