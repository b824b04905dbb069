import { eq } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { releases } from '../schema/releases'
import type { ReleaseRow } from '../releases/transitions'

export const findRelease = async (tx: Tx, id: string): Promise<ReleaseRow | undefined> => {
  const [release] = await tx.select().from(releases).where(eq(releases.id, id))
  return release
}
