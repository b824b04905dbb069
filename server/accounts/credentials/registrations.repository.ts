import { and, eq, gt, lte } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { registrations } from '../schema/people'

export type RegistrationRow = typeof registrations.$inferSelect

const open = (tokenHash: string, now: Date) => and(eq(registrations.tokenHash, tokenHash), gt(registrations.expiresAt, now))

export const findRegistration = async (tx: Tx, tokenHash: string, now: Date): Promise<RegistrationRow | undefined> => {
  const [registration] = await tx.select().from(registrations).where(open(tokenHash, now))
  return registration
}

export const insertRegistration = async (tx: Tx, row: RegistrationRow): Promise<void> => {
  await tx.insert(registrations).values(row)
}

/** Undefined if it has expired or was deleted before: of two concurrent calls one gets it. */
export const deleteRegistration = async (tx: Tx, tokenHash: string, now: Date): Promise<RegistrationRow | undefined> => {
  const [registration] = await tx.delete(registrations).where(open(tokenHash, now)).returning()
  return registration
}

export const deleteRegistrationsOf = (tx: Tx, email: string): Promise<RegistrationRow[]> =>
  tx.delete(registrations).where(eq(registrations.email, email)).returning()

export const deleteExpiredRegistrations = async (tx: Tx, now: Date): Promise<void> => {
  await tx.delete(registrations).where(lte(registrations.expiresAt, now))
}
