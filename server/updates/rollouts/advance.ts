import { healthSoakS } from '../../../contract/updates/rollout-plans'
import { rolloutMoves } from '../../../machines/rollout/rollout.machine'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'
import { recordSystemEvent } from '../../accounts/audit/system'
import { transitionRelease } from '../releases/transitions'
import { labelOf } from '../releases/label'
import { lockRelease } from '../releases/repository'
import { beginBulkChange } from './run/bulk-changes'
import type { RolloutRow } from './rows/rollout-rows.repository'
import { insertTimelineEntry } from './rows/timeline.repository'
import { type RolloutContext, transitionRollout } from './run/transitions'
import { tally } from '../releases/rollout-counts'
import type { Counted } from './offer/counts'
import { lockOlderReleases } from './advance.repository'
import { countStates, lockAllShards } from './offer/counts.repository'
import { evaluateGate, type Measure } from './run/gate'
import { findHealthFailure } from './run/health-gate'
import { rollBack } from './steps/roll-back'
import { findNextWave, findWave, updateWave, type WaveRow } from './plan/waves.repository'
import { openWave } from './run/wave-moves'
import { formatDeviceCount } from './plan/device-count'

const measured = ({ success_percent, failure_percent }: Measure) => ({
  successPercent: success_percent,
  failurePercent: failure_percent,
})

const halt = async (tx: Tx, { row, settings, now }: RolloutContext, wave: WaveRow, found: Measure): Promise<RolloutRow> => {
  const text = `Wave ${wave.n} was halted: ${found.text}`
  await updateWave(tx, wave, { state: 'failed', ...measured(found) })
  const halted = await transitionRollout(tx, row, 'gate.failed', { now, text, set: { stateReason: text } })
  const rollsBack = row.onFailure === 'halt_and_roll_back'
  const after = rollsBack ? await rollBack(tx, halted, { reason: text, by: null, settings, now }) : halted
  const event = { projectId: row.projectId, by: 'Rollout gate', target: { kind: 'rollout', id: row.id, name: row.name } }
  // Last: the organization's log is locked from here to the end of the transaction.
  await recordSystemEvent(tx, { ...event, action: 'rollout.halt', reason: text }, now)
  if (rollsBack) await recordSystemEvent(tx, { ...event, action: 'rollout.roll_back', reason: text }, now)
  return after
}

const soak = async (tx: Tx, row: RolloutRow, wave: WaveRow, found: Measure, now: Date): Promise<RolloutRow> => {
  const soakS = Math.max(wave.gate.soak_s, wave.gate.health_gate ? healthSoakS : 0)
  const until = wave.soakUntil ?? secondsAfter(now, soakS)
  await updateWave(tx, wave, { state: 'soaking', soakUntil: until, ...measured(found) })
  return transitionRollout(tx, row, 'wave.filled', { now, text: `Wave ${wave.n} is filled: ${found.text}` })
}

const pass = async (tx: Tx, row: RolloutRow, wave: WaveRow, found: Measure, now: Date): Promise<RolloutRow> => {
  const next = await findNextWave(tx, row)
  const waits = wave.gate.then === 'wait_for_user'
  await updateWave(tx, wave, { state: waits ? 'waiting_for_user' : 'passed', ...measured(found) })
  if (waits) {
    const text = `Wave ${wave.n} has passed and waits for a person`
    return transitionRollout(tx, row, 'gate.waited', { now, text, set: { stateReason: text } })
  }
  const on = await transitionRollout(tx, row, 'gate.passed', { now, text: `Wave ${wave.n} has passed: ${found.text}` })
  return next ? openWave(tx, on, next.n, now) : on
}

/**
 * When a newer release has reached 95 % of its targets, the older ones for the same hardware and of the same type become superseded
 * (4.6): it is no successor for devices that it cannot be installed on.
 */
const supersede = async (tx: Tx, row: RolloutRow, now: Date) => {
  const release = await lockRelease(tx, row.releaseId)
  if (!release || row.rollsBackId !== null) return
  for (const former of await lockOlderReleases(tx, release))
    await transitionRelease(tx, former, 'release.superseded', now, { stateReason: `${labelOf(release)} replaced it` })
}

const completedText = ({ targeted, succeeded, failed, left }: ReturnType<typeof tally>) => {
  if (succeeded === targeted) return succeeded === 1 ? 'The device has it' : `All ${succeeded} devices have it`
  const rest = [failed > 0 && `${failed} failed`, left > 0 && `${left} left out`].filter((part) => part !== false)
  return [`${succeeded} of ${formatDeviceCount(targeted)} have it`, ...rest].join(', ')
}

const complete = async (tx: Tx, row: RolloutRow, counted: readonly Counted[], now: Date): Promise<RolloutRow> => {
  const { targeted, succeeded, failed, left } = tally(counted)
  const text = completedText(tally(counted))
  const done = await transitionRollout(tx, row, 'targets.ended', {
    now,
    text,
    set: { withFailures: failed > 0, stateReason: null },
  })
  if (succeeded > 0 && succeeded >= 0.95 * (targeted - left)) await supersede(tx, row, now)
  // Those that are still held; each keeps the reason.
  await beginBulkChange(tx, row.id, { kind: 'cancel_waiting', now })
  return done
}

/** Evaluates the gate of the open wave and applies the result: halt, soak, next wave, wait for a person, or end. */
export const advance = async (tx: Tx, rollout: RolloutContext): Promise<RolloutRow> => {
  const { row, now } = rollout
  const counted = await countStates(tx, [row.id])
  const wave = await findWave(tx, row.id, row.currentWave)
  if (!wave) return row
  const { left, ...inWave } = tally(counted.filter((one) => one.wave === wave.n && !one.setAside))
  const counts = { ...inWave, targeted: inWave.targeted - left }
  const found = evaluateGate(counts, wave.gate)
  const { running, waiting } = tally(counted)
  if (!rolloutMoves.hasTag(row.phase, 'offering')) return row
  if (found.verdict === 'failed') return halt(tx, rollout, wave, found)
  const unhealthy = await findHealthFailure(tx, rollout, wave, counts)
  if (unhealthy !== null) return halt(tx, rollout, wave, { ...found, text: unhealthy })
  if (row.phase === 'filling' && found.verdict === 'filled')
    return advance(tx, { ...rollout, row: await soak(tx, row, wave, found, now) })
  const isSoaked = row.phase === 'soaking' && (wave.soakUntil === null || wave.soakUntil <= now)
  if (isSoaked && running + waiting === 0) {
    // A held device may be getting an offer that is not counted yet.
    await lockAllShards(tx, row.id)
    const settled = await countStates(tx, [row.id])
    if (tally(settled).running > 0) return row
    await updateWave(tx, wave, { state: 'passed', ...measured(found) })
    return complete(tx, row, settled, now)
  }
  if (isSoaked && (await findNextWave(tx, row))) return pass(tx, row, wave, found, now)
  if (wave.successPercent !== found.success_percent || wave.failurePercent !== found.failure_percent) {
    await updateWave(tx, wave, measured(found))
    await insertTimelineEntry(tx, row, { at: now, kind: 'gate.measured', text: found.text, wave: wave.n })
  }
  return row
}
