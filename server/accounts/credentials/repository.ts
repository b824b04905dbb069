import { and, eq } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { credentials, users } from '../schema/people'

export type CredentialRow = typeof credentials.$inferSelect

export const findCredential = async (tx: Tx, userId: string): Promise<CredentialRow | undefined> => {
  const [credential] = await tx.select().from(credentials).where(eq(credentials.userId, userId))
  return credential
}

/** The user of an address, with their password. */
export const findAccount = async (tx: Tx, email: string) => {
  const [account] = await tx
    .select({ user: users, credential: credentials })
    .from(users)
    .innerJoin(credentials, eq(credentials.userId, users.id))
    .where(eq(users.email, email))
  return account
}

/**
 * Whether the password that was verified is still that of the account, which it stays until the end of the transaction: a change that
 * waits for it ends what was begun.
 */
export const holdPassword = async (tx: Tx, { userId, passwordHash }: CredentialRow): Promise<boolean> => {
  const [same] = await tx
    .select({ userId: credentials.userId })
    .from(credentials)
    .where(and(eq(credentials.userId, userId), eq(credentials.passwordHash, passwordHash)))
    .for('share')
  return same !== undefined
}

/** Replaces the password that was verified; false if it was changed meanwhile. */
export const updateVerifiedPassword = async (
  tx: Tx,
  { userId, passwordHash }: CredentialRow,
  changes: Pick<CredentialRow, 'passwordHash' | 'changedAt'>,
): Promise<boolean> => {
  const verified = and(eq(credentials.userId, userId), eq(credentials.passwordHash, passwordHash))
  return (await tx.update(credentials).set(changes).where(verified).returning({ userId: credentials.userId })).length === 1
}

export const insertCredential = async (tx: Tx, row: CredentialRow): Promise<void> => {
  await tx.insert(credentials).values(row)
}

export const upsertCredential = async (tx: Tx, { userId, ...set }: CredentialRow): Promise<void> => {
  await tx
    .insert(credentials)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: credentials.userId, set })
}
