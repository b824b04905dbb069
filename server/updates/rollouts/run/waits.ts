import { type NextWait, nextWaitSample } from '../../../../contract/updates/rollouts'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import { notFound } from '../../../core/http/refuse'
import type { ProjectRead } from '../../../core/http/scope'
import { formatTimestampOrNull } from '../../../core/timestamps'
import { findNextPoll } from '../../../fleet/devices/next-poll'
import { listDevicesById } from '../../../fleet/devices/repository'
import { statesOf } from '../../../fleet/devices/state/update-group'
import type { DeviceUpdateRow } from '../../device-updates/repository'
import { notOfferingText } from '../decide/checks'
import { explainOffer, readOffer } from '../offer/explain-offer'
import { findRelease } from '../plan/releases.repository'
import { findReturnLists } from '../decide/return-lists.repository'
import { listRolloutDevices } from '../rows/rollout-devices.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'

const isWaiting = ({ state }: DeviceUpdateRow) => statesOf('waiting').includes(state)

/** `until`: when that changes at the latest without anyone acting; null if that is not known. */
export type Wait = { text: string; until: Date | null }

/**
 * For what the waiting devices wait, by the checks of their own next request: what each was told last may be long past, and one
 * that has not asked yet was told nothing.
 */
export const findWaits = async (
  read: ProjectRead,
  rollout: RolloutRow,
  updates: readonly DeviceUpdateRow[],
): Promise<ReadonlyMap<string, Wait>> => {
  const isOffering = rolloutMoves.hasTag(rollout.phase, 'offering')
  // An offer that was made holds while the rollout makes no new ones.
  const waiting = updates.filter((update) => isWaiting(update) || update.state === 'offered')
  if (waiting.length === 0) return new Map()
  const offer = await readOffer(read, (await findRelease(read.tx, rollout.releaseId)) ?? notFound(), rollout)
  const devices = await listDevicesById(
    read.tx,
    waiting.map(({ deviceId }) => deviceId),
  )
  const lists = await findReturnLists(read.tx, devices)
  const byId = new Map(devices.map((device) => [device.id, device]))
  const waitOf = (update: DeviceUpdateRow): Wait | null => {
    const device = byId.get(update.deviceId)
    if (!device) return null
    const nextPoll = findNextPoll(device, device.pollingIntervalS ?? read.project.settings.polling_interval_s)
    if (update.state === 'offered') return { text: 'Offered, and not begun yet', until: nextPoll }
    if (!isOffering) return { text: notOfferingText(rollout), until: null }
    const { failed } = explainOffer(offer, device, lists, update)
    if (failed) return { text: failed.text, until: failed.until }
    return { text: nextPoll ? 'Gets it at its next check-in' : 'Gets it at its first check-in', until: nextPoll }
  }
  return new Map(
    waiting.flatMap((update) => {
      const wait = waitOf(update)
      return wait ? [[update.deviceId, wait] as const] : []
    }),
  )
}

const isPast = (until: Date | null, now: Date) => until !== null && until < now

/** Those that are due come first by time, then those that are overdue, and last those whose time is not known. */
const compareWaits = (now: Date) => (a: Wait, b: Wait) => {
  if (a.until === null || b.until === null) return Number(a.until === null) - Number(b.until === null)
  return Number(isPast(a.until, now)) - Number(isPast(b.until, now)) || a.until.getTime() - b.until.getTime()
}

/** Which of the waiting devices of a running rollout is next. */
export const findNextWait = async (read: ProjectRead, rollout: RolloutRow): Promise<NextWait | null> => {
  if (!rolloutMoves.hasTag(rollout.phase, 'offering')) return null
  const open = { states: statesOf('waiting'), upToWave: rollout.currentWave }
  const { rows: updates } = await listRolloutDevices(read.tx, rollout, { limit: nextWaitSample }, open)
  const waits = await findWaits(read, rollout, updates)
  const compare = compareWaits(read.now)
  const [next] = updates
    .flatMap((update) => {
      const wait = waits.get(update.deviceId)
      return wait ? [{ update, wait }] : []
    })
    .toSorted((a, b) => compare(a.wait, b.wait))
  if (!next) return null
  const { update, wait } = next
  const until = formatTimestampOrNull(wait.until)
  return { device_id: update.deviceId, device_name: update.name, reason: wait.text, until }
}
