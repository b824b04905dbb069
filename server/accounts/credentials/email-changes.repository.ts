import { and, eq, gt, lte, notExists, or } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { invites } from '../schema/invites'
import { emailChanges, identities, identityLinks, users } from '../schema/people'
import type { UserRow } from '../users/repository'

export type EmailChangeRow = typeof emailChanges.$inferSelect

/** The side of a change whose mail has a link with this hash. */
export type Side = 'old' | 'new'
export type OpenedChange = { change: EmailChangeRow; user: UserRow; side: Side }

export const findEmailChange = async (tx: Tx, userId: string, now: Date): Promise<EmailChangeRow | undefined> => {
  const open = and(eq(emailChanges.userId, userId), gt(emailChanges.expiresAt, now))
  const [row] = await tx.select().from(emailChanges).where(open)
  return row
}

const openOf = (hash: string, now: Date) =>
  and(or(eq(emailChanges.oldHash, hash), eq(emailChanges.newHash, hash)), gt(emailChanges.expiresAt, now))

export const findEmailChangeOfLink = async (tx: Tx, hash: string, now: Date): Promise<OpenedChange | undefined> => {
  const [row] = await tx
    .select({ change: emailChanges, user: users })
    .from(emailChanges)
    .innerJoin(users, eq(users.id, emailChanges.userId))
    .where(openOf(hash, now))
  return row && { ...row, side: row.change.oldHash === hash ? 'old' : 'new' }
}

/** The change is locked until the end of the transaction: of two presses at once the second sees what the first has done. */
export const lockEmailChangeOfLink = async (tx: Tx, hash: string, now: Date): Promise<OpenedChange | undefined> => {
  await tx.select({ userId: emailChanges.userId }).from(emailChanges).where(openOf(hash, now)).for('update')
  return findEmailChangeOfLink(tx, hash, now)
}

export const insertEmailChange = async (tx: Tx, row: typeof emailChanges.$inferInsert): Promise<void> => {
  await tx.insert(emailChanges).values(row)
}

export const updateConfirmed = async (tx: Tx, userId: string, side: Side, now: Date): Promise<void> => {
  const set = side === 'old' ? { oldConfirmedAt: now } : { newConfirmedAt: now }
  await tx.update(emailChanges).set(set).where(eq(emailChanges.userId, userId))
}

/** The deleted change, also one that has expired. */
export const deleteEmailChange = async (tx: Tx, userId: string): Promise<EmailChangeRow | undefined> => {
  const [row] = await tx.delete(emailChanges).where(eq(emailChanges.userId, userId)).returning()
  return row
}

export const deleteExpiredEmailChanges = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(emailChanges).where(lte(emailChanges.expiresAt, now))
}

/** False if the address has an account. Fails as a conflict if it gets one in the same moment. */
export const updateEmail = async (tx: Tx, { userId, newEmail }: EmailChangeRow, now: Date): Promise<boolean> => {
  const others = alias(users, 'others')
  const taken = tx.select({ id: others.id }).from(others).where(eq(others.email, newEmail))
  const changed = await tx
    .update(users)
    .set({ email: newEmail, ...rowUpdate(now) })
    .where(and(eq(users.id, userId), notExists(taken)))
    .returning({ id: users.id })
  return changed.length === 1
}

/**
 * Open invites follow the person to the new address, unless the target has invited it too. Their mails prove the old mailbox only.
 */
export const moveOpenInvites = async (tx: Tx, { oldEmail, newEmail }: EmailChangeRow, now: Date): Promise<void> => {
  const others = alias(invites, 'others')
  const isSameTarget = or(eq(others.organizationId, invites.organizationId), eq(others.projectId, invites.projectId))
  const invited = tx
    .select({ id: others.id })
    .from(others)
    .where(and(eq(others.email, newEmail), eq(others.state, 'pending'), isSameTarget))
  await tx
    .update(invites)
    .set({ email: newEmail, mailHash: null, ...rowUpdate(now) })
    .where(and(eq(invites.email, oldEmail), eq(invites.state, 'pending'), notExists(invited)))
}

/** Whether an account of an identity provider signs in to the account. */
export const hasIdentity = async (tx: Tx, userId: string): Promise<boolean> =>
  (await tx.select({ id: identities.id }).from(identities).where(eq(identities.userId, userId)).limit(1)).length > 0

/** Proofs that were begun with a code in the old mailbox. */
export const deleteIdentityLinksOf = async (tx: Tx, userId: string): Promise<void> => {
  await tx.delete(identityLinks).where(eq(identityLinks.userId, userId))
}
