import type { Infer } from 'superstruct'
import { compareBoot } from '../../../contract/ddi/confirm'
import type { UpdateEventsAnswer } from '../../../contract/device/api'
import { isEnded, stateOfEvent } from '../../../contract/device/update-events'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { scheduleFileCheck } from '../releases/assets/release-files'
import { type DeviceRow, updateReportedFacts } from '../../fleet/devices/repository'
import type { ReleaseRow } from '../releases/repository'
import type { Tx } from '../../core/database/tx'
import { nextId } from '../../core/ids'
import { sanitizeText } from '../../core/plain-text'
import { applyReport, type UpdateProgress, type UpdateReport } from './apply-event'
import { emitUpdateEnd } from './emit-end'
import { confirmByClient } from './confirmation'
import { insertUpdateEvents, listStoredEvents, type UpdateEventRow } from './events.repository'
import { recordInstalled } from './installed'
import { endQuarantineOf, quarantineIfDue } from './quarantine'
import { type DeviceUpdateRow, lockDeviceUpdates, updateDeviceUpdate } from './repository'

type Update = { row: DeviceUpdateRow; release: ReleaseRow }
type Answer = Infer<typeof UpdateEventsAnswer>

/** The updates named by the reports, locked, by rollout. */
const updatesOf = async (tx: Tx, device: DeviceRow, events: readonly UpdateReport[]): Promise<Map<string, Update>> => {
  const ids = [...new Set(events.flatMap(({ rollout_id }) => rollout_id ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await lockDeviceUpdates(tx, device.id, ids)
  return new Map(rows.map((update) => [update.row.rolloutId, update]))
}

/** The success of a release that the rollout does not have: the device has installed something else. */
const isSuccessOfOther = ({ type, release_id }: UpdateReport, { release }: Update) =>
  stateOfEvent[type] === 'succeeded' && release_id !== null && release_id !== release.id

const rowOf = (
  device: DeviceRow,
  event: UpdateReport,
  update: Update | undefined,
  from: UpdateProgress | undefined,
  now: Date,
): UpdateEventRow => ({
  projectId: device.projectId,
  deviceId: device.id,
  id: nextId(now),
  eventId: event.event_id,
  rolloutId: event.rollout_id,
  releaseId: update?.release.id ?? event.release_id,
  version: event.version ?? update?.release.version ?? null,
  attempt: update?.row.attempt ?? 1,
  type: event.type,
  fromState: from?.state ?? null,
  toState: update?.row.state ?? null,
  reasonCode: event.reason_code ?? null,
  message: event.message === undefined ? null : sanitizeText(event.message, 1024),
  progressPercent: event.progress_percent ?? null,
  bytesDone: event.bytes_done ?? null,
  durationMs: event.duration_ms ?? null,
  slot: event.slot ?? null,
  bootId: event.boot_id ?? null,
  keyFingerprint: event.key_fingerprint ?? null,
  tsMs: event.ts_ms,
  receivedAt: now,
  sequence: event.sequence,
  source: 'device',
})

/** A device whose update has timed out may still be at work: it was only silent. */
const mayBeAtWork = ({ state }: DeviceUpdateRow) => state === 'timed_out' || !isEnded(state)

const isAborted = ({ row, release }: Update) =>
  row.state === 'cancelled' || (mayBeAtWork(row) && (row.abortAsked || release.state === 'revoked'))

const settle = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  before: UpdateProgress,
  update: Update,
  { slot, bootId }: { slot: 'a' | 'b' | null; bootId: string | null },
  now: Date,
) => {
  const { row, release } = update
  if (row.state === 'succeeded' && before.state !== 'succeeded') {
    const boot = compareBoot(row.offerBootId, bootId ?? device.bootId)
    if (before.state === 'timed_out') row.abortAsked = true
    row.evidence = { by: 'agent', version: `${release.version}`, matches: 'target', boot, at: now.toISOString() }
  }
  await updateDeviceUpdate(tx, row, row)
  if (row.state === before.state) return
  await emitUpdateEnd(tx, device, row, release, now)
  if (row.state === 'claimed') await confirmByClient(tx, device, settings, update, before.state, now)
  if (row.state === 'succeeded') {
    const running = { releaseId: release.id, version: release.version, slot: slot ?? device.installedSlot, confirmed: true }
    await recordInstalled(tx, device, running, now)
    await endQuarantineOf(tx, device, release.id)
  }
  if (row.state === 'failed' || row.state === 'rolled_back')
    await quarantineIfDue(tx, settings, { projectId: device.projectId, deviceId: device.id, releaseId: release.id }, now)
}

/**
 * Stores reports of a device: each once, by its id, and applies it to its update in the device's own order. Late, duplicate or
 * unordered reports lead to the same state. `device` is locked by the caller.
 */
export const storeEvents = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  events: readonly UpdateReport[],
  now: Date,
): Promise<Answer> => {
  const stored = await listStoredEvents(
    tx,
    device,
    events.map(({ event_id }) => event_id),
  )
  const known = new Set(stored.map(({ eventId }) => eventId))
  const updates = await updatesOf(tx, device, events)
  const before = new Map<string, UpdateProgress>([...updates].map(([id, { row }]) => [id, { ...row }]))
  const slots = new Map<string, 'a' | 'b'>()
  const boots = new Map<string, string>()
  const rejected: Answer['rejected'] = []
  const rows: UpdateEventRow[] = []
  let sequence = device.eventSequence
  let duplicates = 0
  for (const event of events.toSorted((a, b) => a.sequence - b.sequence)) {
    const { event_id, rollout_id } = event
    const update = updates.get(rollout_id ?? '')
    if (known.has(event_id)) {
      duplicates++
      continue
    }
    if (rollout_id !== null && !update) {
      rejected.push({ event_id, code: 'unknown_rollout' })
      continue
    }
    if (update && isSuccessOfOther(event, update)) {
      rejected.push({ event_id, code: 'other_release' })
      continue
    }
    known.add(event_id)
    const from = update && { ...update.row }
    if (update) Object.assign(update.row, applyReport(update.row, event, event.sequence <= sequence, now))
    if (event.slot && rollout_id !== null) slots.set(rollout_id, event.slot)
    if (event.boot_id !== undefined && rollout_id !== null) boots.set(rollout_id, event.boot_id)
    sequence = Math.max(sequence, event.sequence)
    rows.push(rowOf(device, event, update, from, now))
  }
  await insertUpdateEvents(tx, rows)
  await updateReportedFacts(tx, device.id, { eventSequence: sequence, lastSeenAt: now })
  for (const [id, update] of updates) {
    const was = before.get(id)
    const seen = { slot: slots.get(id) ?? null, bootId: boots.get(id) ?? null }
    if (was) await settle(tx, device, settings, was, update, seen, now)
  }
  // What a device found damaged may be damaged in the storage: the files are read again.
  const doubted = rows.flatMap(({ reasonCode, releaseId, rolloutId }) =>
    reasonCode === 'hash_mismatch' && updates.has(rolloutId ?? '') ? (releaseId ?? []) : [],
  )
  for (const releaseId of new Set(doubted)) await scheduleFileCheck(tx, releaseId, now)
  return { accepted: rows.length, duplicates, rejected, abort: [...updates.values()].some(isAborted) }
}
