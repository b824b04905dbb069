import { type ReleaseMove, releaseMoves, type ReleaseState } from '../../../machines/release/release.machine'
import type { Tx } from '../../core/database/tx'
import { emitEvent } from '../../core/events/emit'
import { refuse } from '../../core/http/refuse'
import { findReleases, type ReleaseRow, updateReleases } from './repository'

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

type Moved = { now: Date; byId?: string | undefined }

const eventOfState = { ready: 'release.ready', released: 'release.released', revoked: 'release.revoked' } as const

const emitReleaseEvent = async (tx: Tx, id: string, state: ReleaseState, { now, byId }: Moved): Promise<void> => {
  if (state !== 'ready' && state !== 'released' && state !== 'revoked') return
  for (const { projectId, name, version, displayVersion, stateReason: reason } of await findReleases(tx, [id])) {
    const data = { release: { id, name, version, display_version: displayVersion }, reason }
    await emitEvent(tx, { projectId, type: eventOfState[state], data, causedBy: byId }, now)
  }
}

/** Applies a transition of the chart to a release, under the lock of its row, with its event. `byId`: the person whose wish it is. */
export const transitionRelease = async (
  tx: Tx,
  { id, state }: Pick<ReleaseRow, 'id' | 'state'>,
  move: ReleaseMove,
  now: Date,
  { byId, ...facts }: Facts & Pick<Moved, 'byId'> = {},
): Promise<ReleaseState> => {
  const next = afterMove(state, move)
  await updateReleases(tx, [id], { ...facts, state: next }, now)
  if (next !== state) await emitReleaseEvent(tx, id, next, { now, byId })
  return next
}
