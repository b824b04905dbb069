import { secondsAfter } from '../../../core/days'
import { notFound } from '../../../core/http/refuse'
import type { ProjectRead } from '../../../core/http/scope'
import type { DeviceRow } from '../../../fleet/devices/repository'
import type { DeviceUpdateRow } from '../../device-updates/repository'
import type { ReleaseRow } from '../../releases/repository'
import { signed } from '../../releases/signing/envelope'
import { activeStates } from './counts'
import { countActive } from './counts.repository'
import { checkOffer, type Decision } from '../decide/decision'
import { countOfferedSince } from '../rows/rollout-devices.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { deviceFacts, releaseFacts, type ReturnLists, rolloutFacts } from '../decide/to-decision-facts'

/** What the checks of an offer read of a release. */
export const readReleaseFacts = async ({ tx }: ProjectRead, release: ReleaseRow) =>
  releaseFacts((await signed(tx, [release])).get(release.id) ?? notFound())

/** What the checks of an offer read of a rollout and its release, for all of its devices. */
export const readOffer = async (read: ProjectRead, release: ReleaseRow, rollout: RolloutRow) => ({
  now: read.now,
  models: read.project.settings.hardware_models,
  release: await readReleaseFacts(read, release),
  rollout,
  active: await countActive(read.tx, rollout.id),
  startedLastMinute: await countOfferedSince(read.tx, rollout.id, secondsAfter(read.now, -60)),
})
export type Offer = Awaited<ReturnType<typeof readOffer>>

/** Why a device of a rollout is or is not updating, by the same checks as its own request. */
export const explainOffer = (offer: Offer, device: DeviceRow, lists: ReturnLists, update: DeviceUpdateRow): Decision => {
  const { now, models, release, rollout, active, startedLastMinute } = offer
  const limits = { maxConcurrent: rollout.maxConcurrent, ratePerMinute: rollout.startRatePerMin }
  const known = { now, device: deviceFacts(device, lists, models), project: { active: true }, release }
  if (!activeStates.includes(update.state)) {
    const load = { ...limits, activeUpdates: active, startedLastMinute }
    return checkOffer({ ...known, rollout: rolloutFacts(rollout, load), update })
  }
  // It already holds its slot: checked as if it were still queued.
  const load = { ...limits, activeUpdates: active - 1, startedLastMinute: 0 }
  return checkOffer({
    ...known,
    rollout: rolloutFacts(rollout, load),
    update: { ...update, state: 'queued' as const, notBefore: null },
  })
}
