import { and, asc, count, eq, like, or, sql } from 'drizzle-orm'
import type { NewSavedView } from '../../../contract/fleet/saved-views'
import { users } from '../../accounts/schema/people'
import type { Tx } from '../../core/database/tx'
import { newRow, rowUpdate } from '../../core/database/row'
import { notFound } from '../../core/http/refuse'
import { savedViews } from '../schema/saved-views'
import type { RenameTagUse } from '../tags/repository'

export type SavedViewRow = typeof savedViews.$inferSelect & { ownerName: string }

const selectViews = (tx: Tx) =>
  tx.select({ view: savedViews, ownerName: users.fullName }).from(savedViews).innerJoin(users, eq(users.id, savedViews.ownerId))

const flat = ({ view, ownerName }: { view: typeof savedViews.$inferSelect; ownerName: string }): SavedViewRow => ({
  ...view,
  ownerName,
})

/** The views of a project that a person sees, by name. */
export const listSavedViews = async (tx: Tx, projectId: string, userId: string): Promise<SavedViewRow[]> => {
  const found = await selectViews(tx)
    .where(and(eq(savedViews.projectId, projectId), or(eq(savedViews.ownerId, userId), eq(savedViews.shared, true))))
    .orderBy(asc(sql`lower(${savedViews.name})`), asc(savedViews.id))
  return found.map(flat)
}

export const countSavedViewsOf = async (tx: Tx, projectId: string, userId: string): Promise<number> => {
  const [found] = await tx
    .select({ n: count() })
    .from(savedViews)
    .where(and(eq(savedViews.projectId, projectId), eq(savedViews.ownerId, userId)))
  return found?.n ?? 0
}

export const findSavedViewScope = async (tx: Tx, id: string) => {
  const [found] = await tx
    .select({ projectId: savedViews.projectId, ownerId: savedViews.ownerId })
    .from(savedViews)
    .where(eq(savedViews.id, id))
  return found
}

export const lockSavedView = async (tx: Tx, id: string): Promise<SavedViewRow> => {
  const [found] = await selectViews(tx).where(eq(savedViews.id, id)).for('update', { of: savedViews })
  return found ? flat(found) : notFound()
}

export const insertSavedView = async (
  tx: Tx,
  place: { projectId: string; ownerId: string },
  view: NewSavedView,
  now: Date,
): Promise<string> => {
  const row = { ...newRow(now), ...place, ...view }
  await tx.insert(savedViews).values(row)
  return row.id
}

export const updateSavedView = async (
  tx: Tx,
  id: string,
  changes: { [F in keyof NewSavedView]?: NewSavedView[F] | undefined },
  now: Date,
): Promise<void> => {
  await tx
    .update(savedViews)
    .set({ ...changes, ...rowUpdate(now) })
    .where(eq(savedViews.id, id))
}

export const deleteSavedView = async (tx: Tx, id: string): Promise<void> => {
  await tx.delete(savedViews).where(eq(savedViews.id, id))
}

/** A view shows the devices of the tag under its new name. */
export const renameTagInViews: RenameTagUse = async (tx, { projectId, from, to }, now) => {
  const views = await tx
    .select({ id: savedViews.id, query: savedViews.query })
    .from(savedViews)
    .where(and(eq(savedViews.projectId, projectId), like(savedViews.query, '%tag=%')))
    .orderBy(asc(savedViews.id))
    .for('update')
  for (const { id, query } of views) {
    const before = [...new URLSearchParams(query)]
    const after = before.map(([key, value]) => [key, key === 'tag' && value === from ? to : value])
    if (after.some(([, value], n) => value !== before[n]?.[1]))
      await updateSavedView(tx, id, { query: new URLSearchParams(after).toString() }, now)
  }
}
