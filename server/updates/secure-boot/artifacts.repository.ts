import { and, asc, count, eq, inArray } from 'drizzle-orm'
import { rowUpdate } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import { bundleArtifacts as artifacts } from '../schema/secure-boot'

export type ArtifactRow = typeof artifacts.$inferSelect

export const findArtifact = async (tx: Tx, id: string): Promise<ArtifactRow | undefined> => {
  const [row] = await tx.select().from(artifacts).where(eq(artifacts.id, id))
  return row
}

export const findArtifactOfBundle = async (tx: Tx, bundleId: string, id: string): Promise<ArtifactRow | undefined> => {
  const row = await findArtifact(tx, id)
  return row?.bundleId === bundleId ? row : undefined
}

export const findArtifactProject = async (tx: Tx, id: string): Promise<{ projectId: string } | undefined> => {
  const [row] = await tx.select({ projectId: artifacts.projectId }).from(artifacts).where(eq(artifacts.id, id))
  return row
}

/** The files of bundles, in the order in which they were added. */
export const listArtifacts = (tx: Tx, bundleIds: readonly string[]): Promise<ArtifactRow[]> =>
  tx
    .select()
    .from(artifacts)
    .where(inArray(artifacts.bundleId, [...bundleIds]))
    .orderBy(asc(artifacts.id))

export const countArtifacts = async (tx: Tx, bundleId: string): Promise<number> => {
  const [row] = await tx.select({ n: count() }).from(artifacts).where(eq(artifacts.bundleId, bundleId))
  return row?.n ?? 0
}

export const insertArtifact = async (tx: Tx, row: typeof artifacts.$inferInsert): Promise<ArtifactRow | undefined> => {
  const [made] = await tx.insert(artifacts).values(row).returning()
  return made
}

/** A change that users see: it counts as a new revision. */
export const updateArtifact = async (tx: Tx, id: string, set: Partial<ArtifactRow>, now: Date): Promise<void> => {
  await tx
    .update(artifacts)
    .set({ ...rowUpdate(now), ...set })
    .where(eq(artifacts.id, id))
}

/** Stores what the checks read, if the file still has these bytes. */
export const updateParsed = async (
  tx: Tx,
  { id, storageKey }: ArtifactRow,
  set: Pick<ArtifactRow, 'signature' | 'parsed' | 'certificateExpiresAt'>,
): Promise<void> => {
  await tx
    .update(artifacts)
    .set(set)
    .where(and(eq(artifacts.id, id), eq(artifacts.storageKey, storageKey ?? '')))
}

export const deleteArtifact = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(artifacts).where(eq(artifacts.id, id))
}
