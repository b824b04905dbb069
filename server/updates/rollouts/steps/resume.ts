import type { AuditEntry } from '../../../../contract/accounts/audit'
import type { GateLimits } from '../../../../contract/updates/rollout-steps'
import { overruleReason } from '../../../../contract/updates/rollout-steps'
import type { Tx } from '../../../core/database/tx'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { transitionRollout } from '../run/transitions'
import { refuseField } from '../../../core/http/refuse'
import { recordHealthBefore } from '../run/health-gate'
import { requireIntact } from '../run/scheduled'
import type { Step } from './steps'
import { findWave, listWavesLeft, updateWave, type WaveRow } from '../plan/waves.repository'

type Changes = AuditEntry['changes']

const limitFields = ['max_failure_percent', 'min_success_percent'] as const

const changedLimits = ({ n, gate }: WaveRow, limits: GateLimits): Changes =>
  limitFields
    .filter((field) => gate[field] !== limits[field])
    .map((field) => ({ field: `waves.${n}.gate.${field}`, before: gate[field], after: limits[field] }))

const requireReason = (reason: string | undefined): string => {
  const length = reason?.trim().length ?? 0
  if (reason === undefined || length === 0) return refuseField('reason', 'required', 'Reason is required')
  if (length < overruleReason.min) refuseField('reason', 'length', `Reason must have at least ${overruleReason.min} characters`)
  return reason
}

const changeLimits = async (tx: Tx, row: RolloutRow, limits: GateLimits): Promise<Changes> => {
  const waves = await listWavesLeft(tx, row)
  const changes = waves.flatMap((wave) => changedLimits(wave, limits))
  for (const wave of waves) await updateWave(tx, wave, { gate: { ...wave.gate, ...limits } })
  return changes
}

const describeLimits = ({ max_failure_percent: most, min_success_percent: least }: GateLimits) =>
  `at most ${most} % may fail, ${least} % must succeed`

/**
 * Continues the open wave after its gate failed. Its limits stay; the failures so far are set aside, otherwise the gate would
 * halt the wave again at once. It soaks anew: its devices may be retried, and the time before the halt says nothing about them.
 */
const reopenWave = async ({ tx, row, now, maker }: Step) => {
  const wave = await findWave(tx, row.id, row.currentWave)
  if (wave?.state !== 'failed' && wave?.state !== 'retried') return
  await updateWave(tx, wave, { state: 'filling', countsFrom: now, soakUntil: null })
  await recordHealthBefore(tx, row, wave.n, now)
  const text = `The failures of wave ${wave.n} so far are set aside`
  await insertTimelineEntry(tx, row, { at: now, kind: 'gate.waived', text, wave: wave.n, by: maker.name })
}

/** Resumes a paused or halted rollout; after a halt a reason is required, and given limits replace the old ones. */
export const resume = async (step: Step, limits?: GateLimits): Promise<{ row: RolloutRow; changes: Changes }> => {
  const { tx, row, now, maker } = step
  const halted = row.phase === 'halted'
  if (limits && !halted) refuseField('limits', 'not_halted', 'Limits can be changed only while the rollout is halted')
  await requireIntact(tx, row)
  const reason = halted ? requireReason(step.reason) : step.reason
  const text = reason ? `Resumed: ${reason}` : 'Resumed'
  const after = await transitionRollout(tx, row, 'rollout.resumed', { now, by: maker.name, text, set: { stateReason: null } })
  const changes = limits ? await changeLimits(tx, row, limits) : []
  if (limits && changes.length > 0) {
    const said = `The limits of wave ${row.currentWave} and later were changed: ${describeLimits(limits)}`
    await insertTimelineEntry(tx, row, { at: now, kind: 'gate.changed', text: said, by: maker.name })
  }
  if (halted) await reopenWave(step)
  return { row: after, changes }
}
