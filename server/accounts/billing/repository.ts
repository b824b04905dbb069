import { asc, eq } from 'drizzle-orm'
import { newRow, rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { billingEvents, subscriptions } from '../schema/billing'
import { members, organizations } from '../schema/organizations'

export type SubscriptionRow = typeof subscriptions.$inferSelect

type AccountKey = { kind: 'user' | 'organization'; id: string }

const ofAccount = ({ kind, id }: AccountKey) =>
  kind === 'user' ? eq(subscriptions.userId, id) : eq(subscriptions.organizationId, id)

export const findSubscription = async (tx: Tx, account: AccountKey): Promise<SubscriptionRow | undefined> => {
  const [row] = await tx.select().from(subscriptions).where(ofAccount(account))
  return row
}

export const lockSubscription = async (tx: Tx, account: AccountKey): Promise<SubscriptionRow | undefined> => {
  const [row] = await tx.select().from(subscriptions).where(ofAccount(account)).for('update')
  return row
}

export const lockSubscriptionOfProvider = async (tx: Tx, providerId: string): Promise<SubscriptionRow | undefined> => {
  const [row] = await tx.select().from(subscriptions).where(eq(subscriptions.providerId, providerId)).for('update')
  return row
}

/** The organizations of a person by name, with their role. */
export const listJoinedOrganizations = (tx: Tx, userId: string) =>
  tx
    .select({ organization: organizations, role: members.baseRole })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(members.userId, userId))
    .orderBy(asc(organizations.name), asc(organizations.id))

type Facts = Omit<SubscriptionRow, keyof ReturnType<typeof newRow> | 'userId' | 'organizationId' | 'invoices'>

export const insertSubscription = async (tx: Tx, { kind, id }: AccountKey, facts: Facts, now: Date): Promise<void> => {
  const owner = kind === 'user' ? { userId: id } : { organizationId: id }
  await tx.insert(subscriptions).values({ ...newRow(now), ...owner, ...facts, invoices: [] })
}

type Changes = Partial<Facts & Pick<SubscriptionRow, 'invoices'>>

export const updateSubscription = async (tx: Tx, id: string, changes: Changes, now: Date): Promise<void> => {
  await tx
    .update(subscriptions)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(subscriptions.id, id))
}

/** False if the event was received before. */
export const insertBillingEvent = async (tx: Tx, event: typeof billingEvents.$inferInsert): Promise<boolean> =>
  (await tx.insert(billingEvents).values(event).onConflictDoNothing().returning()).length === 1
