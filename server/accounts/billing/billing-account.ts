import { eq, type SQL } from 'drizzle-orm'
import type { Plan } from '../../../contract/plans'
import { organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { subscriptions } from '../schema/billing'
import type { Tx } from '../../core/database/tx'
import { rowUpdate } from '../../core/database/row'

/** Who the plan belongs to: a person, or an organization. */
export type BillingAccount = { kind: 'user' | 'organization'; id: string; publicId: string | null; name: string; plan: Plan }

/** The reference of an account at the billing provider: `user:<id>` or `organization:<public id>`. */
export const referenceOf = (space: Pick<BillingAccount, 'kind' | 'id' | 'publicId'>): string =>
  `${space.kind}:${space.publicId ?? space.id}`

const ofUser = async (tx: Tx, id: string): Promise<BillingAccount | undefined> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('no key update')
  return user && { kind: 'user', id, publicId: null, name: user.email, plan: user.pricingPlan }
}

const ofOrganization = async (tx: Tx, where: SQL): Promise<BillingAccount | undefined> => {
  const [found] = await tx.select().from(organizations).where(where).for('no key update')
  return found && { kind: 'organization', id: found.id, publicId: found.publicId, name: found.name, plan: found.plan }
}

/** The account of a reference, locked, so that its events are applied one after another. */
export const findBillingAccount = async (tx: Tx, reference: unknown): Promise<BillingAccount | undefined> => {
  const [, kind, id = ''] = /^(user|organization):([\w]{1,40})$/.exec(typeof reference === 'string' ? reference : '') ?? []
  if (kind === undefined) return undefined
  return kind === 'user' ? ofUser(tx, id) : ofOrganization(tx, eq(organizations.publicId, id))
}

/** The account of a subscription row. */
export const billingAccountOfRow = async (tx: Tx, { userId, organizationId }: typeof subscriptions.$inferSelect) =>
  userId === null ? ofOrganization(tx, eq(organizations.id, organizationId ?? '')) : ofUser(tx, userId)

export const rowOf = (space: Pick<BillingAccount, 'kind' | 'id'>) =>
  space.kind === 'user' ? eq(subscriptions.userId, space.id) : eq(subscriptions.organizationId, space.id)

/** A lower plan deletes nothing: its limits refuse new objects. */
export const setPlan = async (tx: Tx, { kind, id }: BillingAccount, plan: Plan, now: Date): Promise<void> => {
  if (kind === 'user')
    await tx
      .update(users)
      .set({ pricingPlan: plan, ...rowUpdate(now) })
      .where(eq(users.id, id))
  else
    await tx
      .update(organizations)
      .set({ plan, ...rowUpdate(now) })
      .where(eq(organizations.id, id))
}
