import { and, asc, desc, eq, inArray, lt, notExists, sql } from 'drizzle-orm'
import { newRow, rowUpdate } from '../../core/database/row'
import { inBatches } from '../../core/database/in-batches'
import type { Tx } from '../../core/database/tx'
import { billingEvents, subscriptions } from '../schema/billing'
import { members, organizations } from '../schema/organizations'

export type SubscriptionRow = typeof subscriptions.$inferSelect

type AccountKey = { kind: 'user' | 'organization'; id: string }

const ofAccount = ({ kind, id }: AccountKey) =>
  kind === 'user' ? eq(subscriptions.userId, id) : eq(subscriptions.organizationId, id)

/** Every subscription that an account has or had: the current one first, then the newest. */
export const listSubscriptions = (tx: Tx, account: AccountKey): Promise<SubscriptionRow[]> =>
  tx
    .select()
    .from(subscriptions)
    .where(ofAccount(account))
    .orderBy(desc(subscriptions.isCurrent), desc(subscriptions.startedAt), asc(subscriptions.id))

/** Makes the events of one subscription wait for each other, those of its invoices too: these do not name the account. */
export const lockProviderId = async (tx: Tx, providerId: string): Promise<void> => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`subscription ${providerId}`}, 6))`)
}

export const findSubscriptionOfProvider = async (tx: Tx, providerId: string): Promise<SubscriptionRow | undefined> => {
  const [row] = await tx.select().from(subscriptions).where(eq(subscriptions.providerId, providerId))
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

/** The organizations that a person has created and that never had a subscription of their own. */
export const listWithoutSubscription = async (tx: Tx, userId: string): Promise<string[]> => {
  const own = tx.select({ id: subscriptions.id }).from(subscriptions).where(eq(subscriptions.organizationId, organizations.id))
  const found = await tx
    .select({ id: organizations.id })
    .from(organizations)
    .where(and(eq(organizations.createdBy, userId), notExists(own)))
    .orderBy(asc(organizations.id))
  return found.map(({ id }) => id)
}

type Facts = Omit<SubscriptionRow, keyof ReturnType<typeof newRow> | 'userId' | 'organizationId' | 'isCurrent'>

/** Inserts a subscription that is not the current one yet. */
export const insertSubscription = async (tx: Tx, { kind, id }: AccountKey, facts: Facts, now: Date): Promise<string> => {
  const owner = kind === 'user' ? { userId: id } : { organizationId: id }
  const row = { ...newRow(now), ...owner, ...facts, isCurrent: false }
  await tx.insert(subscriptions).values(row)
  return row.id
}

type Changes = Partial<Facts & Pick<SubscriptionRow, 'isCurrent'>>

export const updateSubscription = async (tx: Tx, id: string, changes: Changes, now: Date): Promise<void> => {
  await tx
    .update(subscriptions)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(subscriptions.id, id))
}

/** False if the event was received before. */
export const insertBillingEvent = async (tx: Tx, event: typeof billingEvents.$inferInsert): Promise<boolean> =>
  (await tx.insert(billingEvents).values(event).onConflictDoNothing().returning()).length === 1

/** Keeps an event until the subscription of this id is known. */
export const updateWaitingEvent = async (tx: Tx, id: string, waitsFor: string, object: unknown): Promise<void> => {
  await tx.update(billingEvents).set({ waitsFor, object }).where(eq(billingEvents.id, id))
}

/** The events that have waited for a subscription, in the order of their time. They wait no longer. */
export const takeWaitingEvents = async (tx: Tx, providerId: string) => {
  const waiting = eq(billingEvents.waitsFor, providerId)
  const events = await tx
    .select({ type: billingEvents.type, object: billingEvents.object })
    .from(billingEvents)
    .where(waiting)
    .orderBy(asc(billingEvents.happenedAt), asc(billingEvents.id))
  if (events.length > 0) await tx.update(billingEvents).set({ waitsFor: null, object: null }).where(waiting)
  return events
}

export const deleteBillingEventsBefore = (tx: Tx, time: Date): Promise<void> => {
  const old = lt(billingEvents.receivedAt, time)
  return inBatches((most) =>
    tx
      .delete(billingEvents)
      .where(inArray(billingEvents.id, tx.select({ id: billingEvents.id }).from(billingEvents).where(old).limit(most))),
  )
}
