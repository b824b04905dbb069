import { isEnded } from '../../../../contract/device/update-events'
import type { UpdateDecision } from '../../../../contract/updates/device-updates'
import type { ProjectRead } from '../../../core/http/scope'
import { notFound } from '../../../core/http/refuse'
import { formatTimestamp, formatTimestampOrNull } from '../../../core/timestamps'
import { findNextPoll } from '../../../fleet/devices/next-poll'
import { type DeviceRow, getDevice } from '../../../fleet/devices/repository'
import { findReleaseToExplain, findUpdateToExplain, type Subject } from './explain.repository'
import { schedulingChecks } from '../decide/checks'
import { checkEligibility, type CheckResult, type Decision } from '../decide/decision'
import { explainOffer, readOffer, readReleaseFacts } from './explain-offer'
import { deviceFacts } from '../decide/to-decision-facts'
import { findReturnLists } from '../decide/return-lists.repository'

const decisionOn = async (read: ProjectRead, device: DeviceRow, { release, rollout, update }: Subject): Promise<Decision> => {
  const lists = await findReturnLists(read.tx, [device])
  if (rollout && update) return explainOffer(await readOffer(read, release, rollout), device, lists, update)
  return checkEligibility({
    now: read.now,
    device: deviceFacts(device, lists, read.project.settings.hardware_models),
    project: { active: true },
    release: await readReleaseFacts(read, release),
    rollout: { includesDevice: false, allowsDowngrade: false },
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
