import type { UpdateState } from '../../contract/device/update-events'
import { deviceUpdateMoves } from '../../machines/device-update/device-update.machine'
import type { AssetRow } from '../updates/releases/assets/repository'
import type { Action } from './actions.repository'

export const isActive = (state: UpdateState): boolean => deviceUpdateMoves.hasTag(state, 'active')

/** From the offer to the report that closes it, or to the end of the update. */
export const isOpen = ({ action, update }: Action): boolean =>
  action.closedAt === null && action.attempt === update.attempt && isActive(update.state)

/** Until then a client can stop without harm. */
const stoppable = ['offered', 'downloading', 'downloaded', 'verifying', 'installing']

/** Whether a person wants the client to stop, or its files must not be installed any more. */
export const isUnwanted = ({ update, release }: Action, files: readonly AssetRow[]): boolean =>
  update.abortAsked || release.state === 'revoked' || files.some(({ state }) => state !== 'ready')

/** Whether the client is asked to stop. */
export const isToBeCancelled = (found: Action, files: readonly AssetRow[]): boolean =>
  isOpen(found) && found.action.cancelRefusedAt === null && stoppable.includes(found.update.state) && isUnwanted(found, files)
