import { eq } from 'drizzle-orm'
import type { Tx } from '../../../core/database/tx'
import { profiles } from '../../schema/people'

export type ProfileRow = typeof profiles.$inferSelect

export const findProfile = async (tx: Tx, userId: string): Promise<ProfileRow | undefined> => {
  const [profile] = await tx.select().from(profiles).where(eq(profiles.userId, userId))
  return profile
}

export const lockProfile = async (tx: Tx, userId: string): Promise<ProfileRow | undefined> => {
  const [profile] = await tx.select().from(profiles).where(eq(profiles.userId, userId)).for('update')
  return profile
}

type NewProfile = Pick<typeof profiles.$inferInsert, 'userId' | 'updatedAt'> &
  Partial<{ [Field in keyof ProfileRow]: ProfileRow[Field] | undefined }>

/** Fields that are undefined stay unchanged. */
export const upsertProfile = async (tx: Tx, { userId, ...set }: NewProfile): Promise<ProfileRow | undefined> => {
  const [profile] = await tx
    .insert(profiles)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: profiles.userId, set })
    .returning()
  return profile
}
