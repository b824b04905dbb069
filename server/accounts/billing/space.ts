import { eq, type SQL } from 'drizzle-orm'
import type { Plan } from '../../../contract/plans'
import { organizations } from '../schema/organizations'
import { users } from '../schema/people'
import { subscriptions } from '../schema/billing'
import type { Tx } from '../../core/database/tx'
import { changed } from '../../core/database/row'

/** Whose plan it is: a person's own space, or an organization. */
export type Space = { kind: 'user' | 'organization'; id: string; publicId: string | null; name: string; plan: Plan }

/** What stands for a space at the billing provider: `user:<id>` or `organization:<public id>`. */
export const referenceOf = (space: Pick<Space, 'kind' | 'id' | 'publicId'>): string =>
  `${space.kind}:${space.publicId ?? space.id}`

const ofUser = async (tx: Tx, id: string): Promise<Space | undefined> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('no key update')
  return user && { kind: 'user', id, publicId: null, name: user.email, plan: user.pricingPlan }
}

const ofOrganization = async (tx: Tx, where: SQL): Promise<Space | undefined> => {
  const [found] = await tx.select().from(organizations).where(where).for('no key update')
  return found && { kind: 'organization', id: found.id, publicId: found.publicId, name: found.name, plan: found.plan }
}

/** The space of a reference, locked, so that events of one space follow one another. */
export const spaceOf = async (tx: Tx, reference: unknown): Promise<Space | undefined> => {
  const [, kind, id = ''] = /^(user|organization):([\w]{1,40})$/.exec(typeof reference === 'string' ? reference : '') ?? []
  if (kind === undefined) return undefined
  return kind === 'user' ? ofUser(tx, id) : ofOrganization(tx, eq(organizations.publicId, id))
}

/** The space of a row that is known. */
export const spaceOfRow = async (tx: Tx, { userId, organizationId }: typeof subscriptions.$inferSelect) =>
  userId === null ? ofOrganization(tx, eq(organizations.id, organizationId ?? '')) : ofUser(tx, userId)

export const rowOf = (space: Pick<Space, 'kind' | 'id'>) =>
  space.kind === 'user' ? eq(subscriptions.userId, space.id) : eq(subscriptions.organizationId, space.id)

/** Nothing is deleted by a lower plan: its limits stop what would be new (product.md 4.8). */
export const setPlan = async (tx: Tx, { kind, id }: Space, plan: Plan, now: Date): Promise<void> => {
  if (kind === 'user')
    await tx
      .update(users)
      .set({ pricingPlan: plan, ...changed(now) })
      .where(eq(users.id, id))
  else
    await tx
      .update(organizations)
      .set({ plan, ...changed(now) })
      .where(eq(organizations.id, id))
}
