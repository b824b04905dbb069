import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { secrets } from '../database/schema/plumbing'
import type { Tx } from '../database/tx'

/** The secret of this name, the same for every process of the database. */
export const secretOf = async (tx: Tx, name: string): Promise<Buffer> => {
  const [known] = await tx.select().from(secrets).where(eq(secrets.name, name))
  if (known) return Buffer.from(known.value, 'base64')
  const value = randomBytes(32).toString('base64')
  await tx.insert(secrets).values({ name, value }).onConflictDoNothing()
  const [kept] = await tx.select().from(secrets).where(eq(secrets.name, name))
  return Buffer.from(kept?.value ?? value, 'base64')
}
