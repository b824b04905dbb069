import { recordSystemEvent } from '../../../accounts/audit/system'
import type { Tx } from '../../../core/database/tx'
import { beginBulkChange } from './bulk-changes'
import { transitionRelease } from '../../releases/transitions'
import { lockRelease } from '../../releases/repository'
import { type RolloutRow, updateRollout } from '../rows/rollout-rows.repository'
import { recordHealthBefore } from './health-gate'
import { transitionRollout } from './transitions'
import { updateWave } from '../plan/waves.repository'
import { notFound } from '../../../core/http/refuse'

type At = { now: Date; by: string | null }

/** Opens a wave: its devices are offered the release. */
export const openWave = async (tx: Tx, row: RolloutRow, n: number, now: Date): Promise<RolloutRow> => {
  await updateWave(tx, { rolloutId: row.id, n }, { state: 'filling', startedAt: now })
  await recordHealthBefore(tx, row, n, now)
  return (await updateRollout(tx, row.id, { currentWave: n }, now)) ?? notFound()
}

/** The first start: wave 1 opens, the release counts as released, and the devices are shown as waiting. */
export const start = async (tx: Tx, row: RolloutRow, { now, by }: At): Promise<RolloutRow> => {
  const release = (await lockRelease(tx, row.releaseId)) ?? notFound()
  await transitionRelease(tx, release, 'rollout.started', now)
  const set = { startedAt: now, stateReason: null }
  const running = await transitionRollout(tx, row, 'rollout.started', { now, by, text: 'Started', set })
  // Later than the creation of the row, even by the clock of another process: this marks the rows that are already shown.
  const since = new Date(Math.max(now.getTime(), row.createdAt.getTime() + 1))
  await beginBulkChange(tx, row.id, { kind: 'show_waiting', now: since })
  return openWave(tx, running, 1, now)
}

/** `reason`: of the updates that have not begun; without one, each keeps what it waited for. */
type End = { text: string; reason?: string }
const endTime: End = { text: 'The end time was reached', reason: 'The rollout has ended' }

/** Nothing is offered any more, by default because `end_at` has passed. Running updates may finish. */
export const expire = async (tx: Tx, row: RolloutRow, now: Date, { text, ...reason }: End = endTime): Promise<RolloutRow> => {
  const after = await transitionRollout(tx, row, 'rollout.expired', { now, text, set: { stateReason: text } })
  await beginBulkChange(tx, row.id, { kind: 'cancel_waiting', now, ...reason })
  const target = { kind: 'rollout', id: row.id, name: row.name }
  const event = { projectId: row.projectId, action: 'rollout.expire', by: 'Schedule', target, reason: text } as const
  await recordSystemEvent(tx, event, now)
  return after
}
