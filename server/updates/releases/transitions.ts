import { type ReleaseMove, releaseMoves, type ReleaseState } from '../../../machines/release/release.machine'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import { type ReleaseRow, updateReleases } from './repository'

/** States in which nothing is signed yet and the fields may change. */
export const isEditable = (state: ReleaseState): boolean => releaseMoves.hasTag(state, 'editable')

/** The next state by the chart; 409 if it has no such transition. */
export const afterMove = (state: ReleaseState, move: ReleaseMove): ReleaseState =>
  releaseMoves.canMove(state, move) ? releaseMoves.next(state, move) : refuse(409, 'conflict', { about: { state } })

type Facts = Partial<
  Pick<
    ReleaseRow,
    | 'stateReason'
    | 'warnings'
    | 'payload'
    | 'manifestSha256'
    | 'manifestAt'
    | 'expiresAt'
    | 'mayReturnTo'
    | 'returnListFilled'
    | 'rollbackVersion'
  >
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
  await updateReleases(tx, [id], { ...facts, state: next }, now)
  return next
}
