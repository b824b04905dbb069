import { isEnded } from '../../../contract/device/update-events'
import type { UpdateDecision } from '../../../contract/device-updates'
import { signed } from '../releases/signing/envelope'
import type { ProjectRead } from '../../core/http/scope'
import { notFound } from '../../core/http/refuse'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { findNextPoll } from '../../fleet/devices/next-poll'
import { type DeviceRow, getDevice } from '../../fleet/devices/repository'
import { findReleaseToExplain, findUpdateToExplain, type Subject } from './explain.repository'
import { schedulingChecks } from './checks'
import { activeStates } from './counts'
import { countActive } from './counts.repository'
import { countOfferedSince } from './rollout-devices.repository'
import { checkEligibility, checkOffer, type CheckResult, type Decision } from './decision'
import { deviceFacts, releaseFacts, rolloutFacts } from './to-decision-facts'
import { findReturnLists } from './return-lists.repository'
import { secondsAfter } from '../../core/days'

const decisionOn = async (
  { tx, project, now }: ProjectRead,
  device: DeviceRow,
  { release, rollout, update }: Subject,
): Promise<Decision> => {
  const found = (await signed(tx, [release])).get(release.id) ?? notFound()
  const known = {
    now,
    device: deviceFacts(device, await findReturnLists(tx, [device]), project.settings.hardware_models),
    project: { active: true },
    release: releaseFacts(found),
  }
  if (!rollout || !update) return checkEligibility({ ...known, rollout: { includesDevice: false, allowsDowngrade: false } })
  const active = await countActive(tx, rollout.id)
  const limits = { maxConcurrent: rollout.maxConcurrent, ratePerMinute: rollout.startRatePerMin }
  const startedLastMinute = await countOfferedSince(tx, rollout.id, secondsAfter(now, -60))
  const load = { ...limits, activeUpdates: active, startedLastMinute }
  if (!activeStates.includes(update.state)) return checkOffer({ ...known, rollout: rolloutFacts(rollout, load), update })
  // It already holds its slot: checked as if it were still queued.
  const before = { ...update, state: 'queued' as const, notBefore: null }
  return checkOffer({
    ...known,
    rollout: rolloutFacts(rollout, { ...limits, activeUpdates: active - 1, startedLastMinute: 0 }),
    update: before,
  })
}

const checkToJson = ({ name, result, observed, required, until, text }: CheckResult): UpdateDecision['checks'][number] => ({
  id: name,
  result,
  observed: observed === '' ? null : observed,
  required: required === '' ? null : required,
  until: formatTimestampOrNull(until),
  text,
})

const unreached = (checks: readonly CheckResult[]): UpdateDecision['checks'] =>
  Object.keys(schedulingChecks)
    .filter((id) => !checks.some(({ name }) => name === id))
    .map((id) => ({ id, result: 'not_reached', observed: null, required: null, until: null, text: '' }))

/** These may pass later without action, by time or when another device ends; all others need action by a person. */
const waits = ({ name, until }: CheckResult) => until !== null || name in schedulingChecks

/** Why a device is or is not updating, by the same checks as its own request. */
export const decisionFor = async (
  read: ProjectRead,
  deviceId: string,
  releaseId: string | undefined,
): Promise<UpdateDecision> => {
  const { tx, project, now } = read
  const device = await getDevice(tx, deviceId)
  const subject = (await findUpdateToExplain(tx, device, releaseId)) ?? (await findReleaseToExplain(tx, device, releaseId))
  if (!subject && releaseId !== undefined) return notFound()
  const nextPoll = findNextPoll(device, device.pollingIntervalS ?? project.settings.polling_interval_s)
  const decision = subject && (await decisionOn(read, device, subject))
  const over = subject?.update !== undefined && isEnded(subject.update.state)
  const failed = decision?.failed ?? null
  return {
    decided_at: formatTimestamp(now),
    outcome: decision?.offer ? 'offer' : failed && !over && waits(failed) ? 'wait' : 'none',
    release_id: subject?.release.id ?? null,
    rollout_id: subject?.rollout?.id ?? null,
    next_check_at: formatTimestampOrNull(nextPoll),
    checks: decision ? [...decision.checks.map(checkToJson), ...unreached(decision.checks)] : [],
  }
}
