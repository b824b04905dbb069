import type { NoUpdateReason } from '../../../../contract/device/api'
import { releaseMoves } from '../../../../machines/release/release.machine'
import type { Tx } from '../../../core/database/tx'
import { findRollout, type RolloutRow } from '../rows/rollout-rows.repository'
import { labelOf } from '../../releases/label'
import { envelopeText, type Signed, signed } from '../../releases/signing/envelope'
import { updateDeviceUpdate } from '../../device-updates/repository'
import { recordServerEvents } from '../../device-updates/server-events.repository'
import { findModelsOf } from '../decide/boards'
import { activeStates } from './counts'
import { listShards, lockShard, readLockedShard, type Shard } from './counts.repository'
import { type Candidate, findInstallingStart, findReturnStarts, findRolledBackReleases, listCandidates } from './offer.repository'
import { type CheckResult, checkOffer, type Decision, reasonOf } from '../decide/decision'
import { secondsAfter } from '../../../core/days'
import type { Load, DeviceFacts, OfferFacts } from '../decide/decision-facts'
import { deviceFacts, releaseFacts, rolloutFacts } from '../decide/to-decision-facts'
import { deviceRefusal, reasonOfRefusal } from '../decide/device-verdict'
import { hasRelease, succeedByVersion } from './late-success'
import { byRoom, loadOfShard, shardCount } from './shards'
import { findReturnLists } from '../decide/return-lists.repository'
import type { DeviceRow } from '../../../fleet/devices/repository'

/** `isNew`: it has reserved a slot now. */
type Release = { envelope: string; rolloutId: string; releaseId: string; isNew: boolean }
export type Offer = Release | { reason: NoUpdateReason; text: string; until: Date | null }

/** No limit is in use. */
const idle: Load = { activeUpdates: 0, startedLastMinute: 0, maxConcurrent: 1, ratePerMinute: null }

/** Starts after this time count for the rate; null if the rollout has none. */
const rateSince = ({ startRatePerMin }: RolloutRow, now: Date) => (startRatePerMin === null ? null : secondsAfter(now, -60))

/** The requesting device, and its facts for the checks. */
type Asking = { device: DeviceRow; facts: DeviceFacts }

const isOlder = ({ installedVersion }: DeviceRow, { release }: Candidate) => release.version < (installedVersion ?? 0)

const askingOf = async (tx: Tx, device: DeviceRow, candidates: readonly Candidate[]): Promise<Asking> => {
  const older = candidates.some((one) => isOlder(device, one))
  const lists = older ? await findReturnLists(tx, [device]) : new Map<string, null>()
  const models = candidates.length > 0 ? await findModelsOf(tx, device.projectId, [device]) : []
  return { device, facts: deviceFacts(device, lists, models) }
}

const factsOf = ({ facts }: Asking, { update, rollout }: Candidate, found: Signed, load: Load, now: Date): OfferFacts => ({
  now,
  device: facts,
  project: { active: true },
  release: releaseFacts(found),
  rollout: rolloutFacts(rollout, load),
  update,
})

const installedLabel = ({ installedVersion, installedDisplayVersion }: DeviceRow): string =>
  labelOf({ version: installedVersion ?? 0, displayVersion: installedDisplayVersion })

const settled = ['not_already_installed', 'version_newer']

/** Stores why a waiting device gets nothing; ends the update if the device already runs the release. */
const hold = async (tx: Tx, device: DeviceRow, candidate: Candidate, failed: CheckResult, now: Date) => {
  const { update, release } = candidate
  if (settled.includes(failed.name)) {
    if (update.offeredAt !== null && hasRelease(device, candidate)) return succeedByVersion(tx, device, candidate, now)
    const reason = failed.name === 'version_newer' ? failed.text : `Runs ${labelOf(release)} already`
    await updateDeviceUpdate(tx, update, { state: 'skipped', since: now, reason })
  } else if (update.reason !== failed.text) await updateDeviceUpdate(tx, update, { reason: failed.text })
}

// A running update is offered again while its release is valid: the device asks after a restart.
const isUnderWay = ({ update }: Candidate) => activeStates.includes(update.state) && !update.abortAsked

/** Why a later decision than that of a candidate stands; null if none does. */
const findOverruling = async (tx: Tx, device: DeviceRow, candidates: readonly Candidate[]) => {
  const since = candidates.some((one) => isOlder(device, one)) ? await findInstallingStart(tx, device) : null
  const rolledBack = await findRolledBackReleases(tx, candidates)
  const notInstalled = candidates.filter(({ release }) => release.id !== device.installedReleaseId)
  const returned = await findReturnStarts(
    tx,
    device.id,
    notInstalled.map(({ release }) => release.id),
  )
  return (one: Candidate): string | null => {
    const { id, startedAt } = one.rollout
    if (isUnderWay(one)) return null
    if (since !== null && isOlder(device, one) && startedAt !== null && startedAt < since)
      return `A later rollout has installed ${installedLabel(device)}`
    const returnedAt = returned.get(one.release.id)
    if (returnedAt !== undefined && startedAt !== null && startedAt < returnedAt)
      return `${labelOf(one.release)} was rolled back on it later`
    const bad = rolledBack.get(id)
    const { installedReleaseId: runs, installedConfirmed } = device
    return bad !== undefined && runs !== null && installedConfirmed && ![bad, one.release.id].includes(runs)
      ? `Runs ${installedLabel(device)}, which is not rolled back`
      : null
  }
}

/**
 * Ends the updates that were decided before what the device runs now: those to an older release, if a rollout that started later
 * has installed it; those to a release from which a rollback that began later has sent the device back; and a way back from a
 * release that the device does not run any more. Returns the other candidates.
 */
const skipOverruled = async (tx: Tx, device: DeviceRow, candidates: readonly Candidate[], now: Date): Promise<Candidate[]> => {
  const overruling = await findOverruling(tx, device, candidates)
  const left: Candidate[] = []
  for (const one of candidates) {
    const reason = overruling(one)
    if (reason === null) left.push(one)
    else await updateDeviceUpdate(tx, one.update, { state: 'skipped', since: now, reason })
  }
  return left
}

const begin = async (tx: Tx, device: DeviceRow, { update, release }: Candidate, shard: number, now: Date) => {
  await updateDeviceUpdate(tx, update, {
    state: 'offered',
    shard,
    since: now,
    offeredAt: now,
    reason: null,
    notBefore: null,
    progress: null,
    bytesDone: null,
    grownAt: null,
    errorCode: null,
    errorText: null,
    fromReleaseId: device.installedReleaseId,
    fromVersion: device.installedVersion,
    fromDisplayVersion: device.installedDisplayVersion,
    offerBootId: device.bootId,
    evidence: null,
  })
  const { projectId, deviceId, rolloutId, attempt, state } = update
  const { id: releaseId, version } = release
  const event = { projectId, deviceId, rolloutId, releaseId, version, attempt, fromState: state }
  await recordServerEvents(tx, [{ ...event, type: 'update_offered', toState: 'offered' }], now)
}

/** The rollout was deleted meanwhile. */
const gone: Offer = { reason: 'up_to_date', text: 'No newer release', until: null }

const refusal = ({ failed }: Decision): Offer =>
  failed ? { reason: reasonOf(failed), text: failed.text, until: failed.until } : gone

/** The envelope, or the refusal of the device itself. */
const envelopeFor = async (
  { device, facts }: Asking,
  { rollout, release }: Candidate,
  found: Signed,
  now: Date,
): Promise<Offer> => {
  const envelope = envelopeText(found)
  const { publicKeyPems } = found
  const refused = await deviceRefusal(envelope, { device, mayReturnTo: facts.installed?.mayReturnTo ?? null, publicKeyPems, now })
  if (refused) return { reason: reasonOfRefusal(refused), text: refused.message, until: null }
  return { envelope, rolloutId: rollout.id, releaseId: release.id, isNew: false }
}

const again = async (tx: Tx, asking: Asking, candidate: Candidate, found: Signed, now: Date): Promise<Offer> => {
  const { device } = asking
  const { release } = candidate
  if (hasRelease(device, candidate)) {
    await succeedByVersion(tx, device, candidate, now)
    return { reason: 'up_to_date', text: `The device runs this release, ${labelOf(release)}`, until: null }
  }
  const stands = releaseMoves.hasTag(release.state, 'offered') && found.signedBy.length > 0 && found.missing.length === 0
  return stands
    ? envelopeFor(asking, candidate, found, now)
    : { reason: 'not_targeted', text: 'The release was withdrawn', until: null }
}

/**
 * Reserves a slot for an offer, or refuses it. Each shard of the rollout has its part of the limits, and the holder of its lock
 * counts the slots that it has reserved. Devices for which no shard has room are refused without a lock.
 */
const reserve = async (
  tx: Tx,
  asking: Asking,
  candidate: Candidate,
  found: Signed,
  offer: Release,
  now: Date,
): Promise<Offer> => {
  const { rollout: before } = candidate
  const since = rateSince(before, now)
  const decide = (rollout: RolloutRow, shard: Shard) =>
    checkOffer(factsOf(asking, { ...candidate, rollout }, found, loadOfShard(rollout, shard), now))
  const refuse = async (decision: Decision) => {
    if (decision.failed) await hold(tx, asking.device, candidate, decision.failed, now)
    return refusal(decision)
  }
  const decided = byRoom(before, await listShards(tx, before.id, shardCount(before), since)).map(
    (shard) => [shard.shard, decide(before, shard)] as const,
  )
  const open = decided.flatMap(([shard, { failed }]) => (failed ? [] : [shard]))
  const [best] = decided
  if (!best) return gone
  if (open.length === 0) return refuse(best[1])
  const shard = await lockShard(tx, before.id, open)
  // Read under the lock: a change that ends all offers waits for it.
  const rollout = await findRollout(tx, before.id)
  if (shard === undefined || !rollout) return gone
  const decision = decide(rollout, await readLockedShard(tx, before.id, shard, since))
  if (decision.failed) return refuse(decision)
  await begin(tx, asking.device, candidate, shard, now)
  return { ...offer, isNew: true }
}

const offerOne = async (tx: Tx, asking: Asking, candidate: Candidate, found: Signed, now: Date): Promise<Offer> => {
  if (isUnderWay(candidate)) return again(tx, asking, candidate, found, now)
  // Most requests come from devices that wait for their wave: they are answered without a lock.
  const early = checkOffer(factsOf(asking, candidate, found, idle, now))
  if (early.failed) {
    await hold(tx, asking.device, candidate, early.failed, now)
    return refusal(early)
  }
  const offer = await envelopeFor(asking, candidate, found, now)
  if ('reason' in offer) {
    if (candidate.update.reason !== offer.text) await updateDeviceUpdate(tx, candidate.update, { reason: offer.text })
    return offer
  }
  return reserve(tx, asking, candidate, found, offer, now)
}

const nothing = (device: DeviceRow, now: Date): Offer => {
  if (device.lifecycle === 'pending') return { reason: 'pending_acceptance', text: 'Not accepted yet', until: null }
  if (device.lifecycle !== 'active' || !device.updatesEnabled) return { reason: 'disabled', text: 'Updates are off', until: null }
  const { updatesPausedUntil: until } = device
  if (until !== null && until > now) return { reason: 'paused', text: 'Updates of this device are paused', until }
  return { reason: 'up_to_date', text: 'No newer release', until: null }
}

/**
 * The answer to a device that asks for an update: the envelope of the release to install now, or why there is none. A new offer
 * reserves a slot of the rollout and records `update_offered`. `device` is locked by the caller's transaction.
 */
export const offerFor = async (tx: Tx, device: DeviceRow, now: Date): Promise<Offer> => {
  const candidates = await skipOverruled(tx, device, await listCandidates(tx, device.id), now)
  const found = await signed(
    tx,
    candidates.map(({ release }) => release),
  )
  const asking = await askingOf(tx, device, candidates)
  let first: Offer | undefined
  // One update at a time: a running one comes before all others.
  for (const candidate of candidates.toSorted((a, b) => Number(isUnderWay(b)) - Number(isUnderWay(a)))) {
    const release = found.get(candidate.release.id)
    if (!release) continue
    const offer = await offerOne(tx, asking, candidate, release, now)
    if ('envelope' in offer || isUnderWay(candidate)) return offer
    first ??= offer
  }
  return first ?? nothing(device, now)
}
