import { eq } from 'drizzle-orm'
import { newRow, rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { users } from '../schema/people'

export type UserRow = typeof users.$inferSelect

export const findUser = async (tx: Tx, id: string): Promise<UserRow | undefined> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id))
  return user
}

export const findUserByEmail = async (tx: Tx, email: string): Promise<UserRow | undefined> => {
  const [user] = await tx.select().from(users).where(eq(users.email, email))
  return user
}

export const hasUsers = async (tx: Tx): Promise<boolean> => (await tx.select({ id: users.id }).from(users).limit(1)).length > 0

/** Locks a person, so that what is counted against their plan is created one after another. */
export const lockUser = async (tx: Tx, id: string): Promise<UserRow | undefined> => {
  const [user] = await tx.select().from(users).where(eq(users.id, id)).for('no key update')
  return user
}

export const lockImageUrl = async (tx: Tx, id: string): Promise<string | null> => {
  const [user] = await tx.select({ imageUrl: users.imageUrl }).from(users).where(eq(users.id, id)).for('update')
  return user?.imageUrl ?? null
}

/** Undefined if the address has an account. */
export const insertUser = async (
  tx: Tx,
  person: Pick<UserRow, 'email' | 'fullName'> & Partial<Pick<UserRow, 'pricingPlan'>>,
  now: Date,
): Promise<UserRow | undefined> => {
  const [user] = await tx
    .insert(users)
    .values({ ...newRow(now), ...person })
    .onConflictDoNothing()
    .returning()
  return user
}

type Changes = Partial<Pick<UserRow, 'featureChannel' | 'fullName' | 'imageUrl' | 'mfaEnabled' | 'pricingPlan'>>

export const updateUser = async (tx: Tx, id: string, changes: Changes, now: Date): Promise<void> => {
  await tx
    .update(users)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(users.id, id))
}

/** Signing in is no change of the person: the revision stays. */
export const updateLastSignIn = async (tx: Tx, id: string, now: Date): Promise<UserRow | undefined> => {
  const [user] = await tx.update(users).set({ lastSignInAt: now }).where(eq(users.id, id)).returning()
  return user
}
