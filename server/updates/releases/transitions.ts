import { eq } from 'drizzle-orm'
import { type ReleaseMove, releaseMoves, type ReleaseState } from '../../../machines/release/release.machine'
import { releases } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import { rowUpdate } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'

export type ReleaseRow = typeof releases.$inferSelect

/** States in which nothing is signed yet and the fields may change. */
export const isEditable = (state: ReleaseState): boolean => releaseMoves.hasTag(state, 'editable')

/** The row of a release, locked for a change. */
export const lockRelease = async (tx: Tx, id: string): Promise<ReleaseRow | undefined> => {
  const [row] = await tx.select().from(releases).where(eq(releases.id, id)).for('update')
  return row
}

/** The next state by the chart; 409 if it has no such transition. */
export const afterMove = (state: ReleaseState, move: ReleaseMove): ReleaseState =>
  releaseMoves.canMove(state, move) ? releaseMoves.next(state, move) : refuse(409, 'conflict', { about: { state } })

type Facts = Partial<
  Pick<ReleaseRow, 'stateReason' | 'payload' | 'manifestSha256' | 'manifestAt' | 'expiresAt' | 'mayReturnTo' | 'returnListFilled'>
>

/** Applies a transition of the chart to a release, under the lock of its row. */
export const transitionRelease = async (
  tx: Tx,
  { id, state }: Pick<ReleaseRow, 'id' | 'state'>,
  move: ReleaseMove,
  now: Date,
  facts: Facts = {},
): Promise<ReleaseState> => {
  const next = afterMove(state, move)
  await tx
    .update(releases)
    .set({ ...rowUpdate(now), ...facts, state: next })
    .where(eq(releases.id, id))
  return next
}
