import { and, desc, eq, exists, isNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { nextId } from '../../core/ids'
import type { Tx } from '../../core/database/tx'
import { identities, type IdentityProof, logoutTokens, sessions, signIns } from '../schema/people'

export type { IdentityProof } from '../schema/people'

export type IdentityRow = typeof identities.$inferSelect

type Subject = Pick<IdentityProof, 'issuer' | 'subject'>

const isOf = ({ issuer, subject }: Subject) => and(eq(identities.issuer, issuer), eq(identities.subject, subject))

export const findIdentity = async (tx: Tx, subject: Subject): Promise<IdentityRow | undefined> => {
  const [found] = await tx.select().from(identities).where(isOf(subject))
  return found
}

/** A person's account at one identity provider. */
export const findIdentityOfUser = async (tx: Tx, userId: string, issuer: string): Promise<IdentityRow | undefined> => {
  const [found] = await tx
    .select()
    .from(identities)
    .where(and(eq(identities.userId, userId), eq(identities.issuer, issuer)))
  return found
}

export const listIdentities = (tx: Tx, userId: string): Promise<IdentityRow[]> =>
  tx.select().from(identities).where(eq(identities.userId, userId)).orderBy(desc(identities.createdAt))

export const findIdentityById = async (tx: Tx, id: string): Promise<IdentityRow | undefined> => {
  const [found] = await tx.select().from(identities).where(eq(identities.id, id))
  return found
}

export const findIdentityOwner = async (tx: Tx, id: string): Promise<{ ownerId: string } | undefined> => {
  const [found] = await tx.select({ ownerId: identities.userId }).from(identities).where(eq(identities.id, id))
  return found
}

/** Undefined if the person or the account of the provider is connected already. */
export const insertIdentity = async (
  tx: Tx,
  userId: string,
  { issuer, subject, email }: IdentityProof,
  now: Date,
): Promise<IdentityRow | undefined> => {
  const [row] = await tx
    .insert(identities)
    .values({ id: nextId(now), userId, issuer, subject, email, createdAt: now, lastUsedAt: now })
    .onConflictDoNothing()
    .returning()
  return row
}

export const updateIdentityUse = async (tx: Tx, id: string, email: string, now: Date): Promise<void> => {
  await tx.update(identities).set({ email, lastUsedAt: now }).where(eq(identities.id, id))
}

export const deleteIdentity = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(identities).where(eq(identities.id, id))
}

/** A sign-in that has not ended, or one with a session of the console that has not: signing out of the sign-in host ends none. */
const isOpen = (tx: Tx): SQL | undefined => {
  const own = and(eq(sessions.signInId, signIns.id), isNull(sessions.endedAt))
  const session = tx
    .select({ one: sql`1` })
    .from(sessions)
    .where(own)
  return or(isNull(signIns.endedAt), exists(session))
}

/** The open sign-ins of an account of a provider, or those of one session there. */
export const listSignInsOf = (tx: Tx, identityId: string, providerSession?: string): Promise<{ id: string }[]> =>
  tx
    .select({ id: signIns.id })
    .from(signIns)
    .where(
      and(
        eq(signIns.identityId, identityId),
        isOpen(tx),
        providerSession === undefined ? undefined : eq(signIns.providerSession, providerSession),
      ),
    )

/** The accounts that are signed in from one session at a provider. */
export const listIdentitiesOfSession = async (tx: Tx, issuer: string, providerSession: string): Promise<IdentityRow[]> => {
  const rows = await tx
    .selectDistinct({ identity: identities })
    .from(identities)
    .innerJoin(signIns, eq(signIns.identityId, identities.id))
    .where(and(eq(identities.issuer, issuer), eq(signIns.providerSession, providerSession), isOpen(tx)))
  return rows.map(({ identity }) => identity)
}

/** False if this logout token was used before. */
export const insertLogoutToken = async (tx: Tx, tokenHash: string, expiresAt: Date): Promise<boolean> =>
  (await tx.insert(logoutTokens).values({ tokenHash, expiresAt }).onConflictDoNothing().returning()).length === 1

export const deleteExpiredLogoutTokens = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(logoutTokens).where(lte(logoutTokens.expiresAt, now))
}
