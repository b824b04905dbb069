import type { ProjectSettings } from '../../../../contract/accounts/projects'
import type { Tx } from '../../../core/database/tx'
import { findRollout, type RolloutRow, updateRollout } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { emitRolloutEvent, type RolloutContext, transitionRollout } from '../run/transitions'
import { lockRelease } from '../../releases/repository'
import { requestAbort, cancelWaiting } from './cancel'
import { notFound, Refusal, refuse } from '../../../core/http/refuse'
import { countActive } from '../offer/counts.repository'
import { insertRolloutDevices } from '../rows/rollout-devices.repository'
import { create } from '../plan/create'
import { groupBy } from '../plan/group-by'
import { preview } from '../plan/preview'
import { formatKeptDevices, measureRollBack, outcomeText, type RollBackOutcome } from './roll-back-end'
import { countExpected } from './roll-back-end.repository'
import { findRelease } from '../plan/releases.repository'
import {
  askGoneToStop,
  listRollBackEnds,
  lockOpenRollBacks,
  updateRollsBack,
  updateStays,
  updateTarget,
} from './roll-back.repository'
import { expire, start } from '../run/wave-moves'
import { labelOf } from '../../releases/label'
import { type ReturnPath, listReturnPaths } from './ways-back'
import { formatDeviceCount } from '../plan/device-count'
import { contactPollS } from '../../../accounts/projects/settings'

type Why = { reason: string; by: string | null; settings: ProjectSettings; now: Date }

const noGate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 0, then: 'continue' } as const
/** The most devices that a rollout may name. */
const most = 1000

const chunks = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, at) => list.slice(at * size, (at + 1) * size))

/** Creates a rollout to one previous release and starts it at once. */
const startBack = async (tx: Tx, { row, settings, now }: RolloutContext, releaseId: string, ids: string[]): Promise<void> => {
  const release = await lockRelease(tx, releaseId)
  if (!release) return notFound()
  const target = { device_ids: ids }
  const waves = [{ kind: 'percent' as const, value: 100, gate: noGate }]
  const seen = await preview(tx, release, { target, waves, allowsDowngrade: true, isWayBack: true }, now)
  const reason = row.stateReason ?? `${row.name} is rolled back`
  const asked = {
    target,
    waves,
    name: `Back from ${row.name}`.slice(0, 256),
    preview_hash: seen.hash,
    allow_downgrade: { reason, version: release.version },
    override_reason: reason,
    priority: 100,
  }
  const id = await create(tx, release, asked, { maker: null, now, settings, requiresApproval: false, isWayBack: true })
  const set = { rollsBackId: row.id, requiresApproval: false }
  const made = await updateRollsBack(tx, id, set)
  if (made) await start(tx, made, { now, by: null })
}

/** The open rollback rollout to this release that can take some more devices. */
const openBack = async (tx: Tx, row: RolloutRow, releaseId: string, more: number): Promise<RolloutRow | undefined> => {
  const found = await lockOpenRollBacks(tx, row, releaseId)
  return found.find(({ target }) => (target.device_ids?.length ?? 0) + more <= most)
}

const joinBack = async (tx: Tx, back: RolloutRow, ids: string[], now: Date) => {
  const target = { device_ids: [...(back.target.device_ids ?? []), ...ids] }
  await updateTarget(tx, back.id, target)
  const members = ids.map((deviceId) => ({ deviceId, wave: 1 }))
  await insertRolloutDevices(tx, back, members, now)
  await insertTimelineEntry(tx, back, { at: now, kind: 'devices.joined', text: `${formatDeviceCount(ids.length)} joined` })
}

const keep = async (tx: Tx, row: RolloutRow, group: readonly ReturnPath[], stays: string) => {
  const ids = group.map(({ id }) => id)
  for (const some of chunks(ids, most)) await updateStays(tx, row.id, some, stays)
}

/** Sends devices to their previous release. A refusal of the server undoes it and is returned as the reason why they stay. */
const sendGroup = async (tx: Tx, rollout: RolloutContext, releaseId: string, ids: string[]): Promise<string | null> => {
  try {
    await tx.transaction(async (inner) => {
      const back = await openBack(inner, rollout.row, releaseId, ids.length)
      if (back) return joinBack(inner, back, ids, rollout.now)
      for (const some of chunks(ids, most)) await startBack(inner, rollout, releaseId, some)
    })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

/**
 * Sends back every device that runs the release of this rollout and was not sent yet, if its installed manifest, its rollback
 * number and the previous release allow it; stores why the others stay.
 */
const sendBack = async (tx: Tx, rollout: RolloutContext): Promise<void> => {
  const { row, now } = rollout
  const ways = await listReturnPaths(tx, row, 'undecided', now)
  if (ways.length === 0) return
  const stays = groupBy(ways, ({ stay }) => stay?.text ?? null)
  const parts: string[] = []
  for (const [releaseId, group] of groupBy(ways, ({ stay, former }) => (stay ? null : (former?.id ?? null)))) {
    const ids = group.map(({ id }) => id)
    const refused = await sendGroup(tx, rollout, releaseId, ids)
    if (refused !== null) stays.set(refused, [...(stays.get(refused) ?? []), ...group])
    else
      parts.push(
        `${formatDeviceCount(ids.length)} ${ids.length === 1 ? 'is' : 'are'} sent back to ${group[0]?.former ? labelOf(group[0].former) : releaseId}`,
      )
  }
  for (const [text, group] of stays) await keep(tx, row, group, text)
  const release = await findRelease(tx, row.releaseId)
  const kept = [...stays].map(([reason, group]) => ({ reason, names: group.map(({ name }) => name) }))
  if (kept.length > 0 && release) parts.push(formatKeptDevices(labelOf(release), kept))
  await insertTimelineEntry(tx, row, { at: now, kind: 'rollback.sent', text: parts.join('; ') })
}

/**
 * Stops offering and sends each device back to its previous release: a new rollout for each of these releases, for exactly the
 * devices that would accept it. Running updates are asked to stop; devices that finish anyway follow at the next tick.
 */
export const rollBack = async (tx: Tx, row: RolloutRow, { reason, by, settings, now }: Why): Promise<RolloutRow> => {
  if (row.rollsBackId !== null && row.endedAt !== null)
    refuse(409, 'conflict', { message: 'This rollout has sent devices back. To update them again, roll out a release' })
  const text = `Rolling back: ${reason}`
  const rolling = await transitionRollout(tx, row, 'rollback.began', { now, by, text, set: { stateReason: reason } })
  await cancelWaiting(tx, row.id, 'The rollout is rolled back', now)
  await requestAbort(tx, row.id, now)
  await sendBack(tx, { row: rolling, settings, now })
  await askGoneToStop(tx, row)
  return rolling
}

const summary = (outcome: RollBackOutcome) => ({
  stateReason: outcomeText(outcome),
  withFailures: outcome.kept.length > 0 || outcome.away.length > 0,
})

/**
 * Sends back devices that have finished meanwhile. Ends with a summary when no update is running and each rollback has ended or
 * waits for a device that is offline, paused, in quarantine or that loses its downloads: that one still returns later
 * (docs/decisions/0031).
 */
export const continueRollBack = async (tx: Tx, { row, settings, now }: RolloutContext): Promise<RolloutRow> => {
  // Counted first: a device that finishes between the two queries is sent back now or still counts as running.
  const active = await countActive(tx, row.id)
  await sendBack(tx, { row, settings, now })
  if (active > 0) return row
  const backs = await listRollBackEnds(tx, row.id)
  const open = backs.some(({ endedAt }) => endedAt === null)
  if (open && (await countExpected(tx, row.id, contactPollS(settings, now), now)) > 0) return row
  const outcome = await measureRollBack(tx, row, now)
  // Every rollback has ended: the last of these rollouts ends at its next tick.
  if (open && outcome.away.length === 0) return row
  // A running device may have deferred its update since.
  await cancelWaiting(tx, row.id, 'The rollout is rolled back', now)
  await askGoneToStop(tx, row)
  return transitionRollout(tx, row, 'rollback.ended', { now, text: outcomeText(outcome), set: summary(outcome) })
}

/**
 * Summarizes a rollback again after its end, when a rollout to a previous release has ended that waited for devices, or a device has
 * returned that had been given up.
 */
export const updateRollBackSummary = async (tx: Tx, rolloutId: string, now: Date): Promise<void> => {
  const row = await findRollout(tx, rolloutId)
  // Before its end the summary follows with it.
  if (row?.phase !== 'rolled_back') return
  await askGoneToStop(tx, row)
  const set = summary(await measureRollBack(tx, row, now))
  await updateRollout(tx, row.id, set, now)
  if (set.stateReason === row.stateReason) return
  await insertTimelineEntry(tx, row, { at: now, kind: 'rollback.continued', text: set.stateReason })
  // Those who were told that it is incomplete wait for this; each device on the way to it would be a mail.
  if (row.withFailures && !set.withFailures)
    await emitRolloutEvent(tx, row, 'rollout.rolled_back', { now, text: set.stateReason })
}

/**
 * Ends a way back whose manifest has expired: no device takes it any more, and its rollback would wait for good. An update that is
 * running may finish before.
 */
export const endExpiredWayBack = async (tx: Tx, row: RolloutRow, now: Date): Promise<RolloutRow | null> => {
  if (row.rollsBackId === null) return null
  const release = await findRelease(tx, row.releaseId)
  if (!release?.expiresAt || release.expiresAt > now || (await countActive(tx, row.id)) > 0) return null
  return expire(tx, row, now, { text: `The manifest of ${labelOf(release)} has expired` })
}

/** Sends back the devices that have finished the release after the rollback had ended; those that stay are named at once. */
export const sendBackLate = async (tx: Tx, rollout: RolloutContext): Promise<void> => {
  const { row, now } = rollout
  if (row.phase !== 'rolled_back') return
  await sendBack(tx, rollout)
  const backs = await listRollBackEnds(tx, row.id)
  // Otherwise the summary follows when the others have returned.
  if (backs.every(({ endedAt }) => endedAt !== null)) await updateRollBackSummary(tx, row.id, now)
}
