import { type BundleMove, bundleMoves } from '../../../machines/secure-boot/secure-boot.machine'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import { type BundleRow, isNamedByManifest, updateBundle } from './repository'

/** The next state by the chart; 409 if it has no such transition. */
const afterMove = (state: BundleRow['state'], move: BundleMove): BundleRow['state'] =>
  bundleMoves.canMove(state, move) ? bundleMoves.next(state, move) : refuse(409, 'conflict', { about: { state } })

/** Applies a transition of the chart to a bundle, under the lock of its row. */
export const transitionBundle = async (
  tx: Tx,
  { id, state }: Pick<BundleRow, 'id' | 'state'>,
  move: BundleMove,
  now: Date,
  facts: Partial<BundleRow> = {},
): Promise<BundleRow['state']> => {
  const next = afterMove(state, move)
  await updateBundle(tx, id, { ...facts, state: next }, now)
  return next
}

/** 409 if fields and files of the bundle can no longer change. */
export const requireEditable = async (tx: Tx, { id, state }: BundleRow): Promise<void> => {
  if (!bundleMoves.hasTag(state, 'editable'))
    refuse(409, 'not_a_draft', {
      message:
        state === 'in_use'
          ? 'Devices have this bundle: it can no longer be changed. Create a new one'
          : state === 'archived'
            ? 'The bundle is archived. Restore it to change it'
            : 'The bundle is revoked and can no longer be changed',
      about: { state },
    })
  if (await isNamedByManifest(tx, id))
    refuse(409, 'named_by_release', { message: 'The manifest of a release is built for this bundle. Create a new bundle' })
}
