import { eq } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { avatars } from '../schema/people'

export type AvatarRow = typeof avatars.$inferSelect

export const findAvatar = async (tx: Tx, key: string): Promise<AvatarRow | undefined> => {
  const [avatar] = await tx.select().from(avatars).where(eq(avatars.key, key))
  return avatar
}

/** One row per person: the previous picture is deleted with its URL. */
export const upsertAvatar = async (tx: Tx, { userId, ...set }: AvatarRow): Promise<void> => {
  await tx
    .insert(avatars)
    .values({ userId, ...set })
    .onConflictDoUpdate({ target: avatars.userId, set })
}

export const deleteAvatar = async (tx: Tx, userId: string): Promise<void> => {
  await tx.delete(avatars).where(eq(avatars.userId, userId))
}
