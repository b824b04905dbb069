import type { Tx } from '../../../core/database/tx'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { signed } from '../../releases/signing/envelope'
import { insertRolloutDevices } from '../rows/rollout-devices.repository'
import { membersOf } from '../plan/members'
import { notYetIn } from '../plan/members.repository'
import { secondsAfter } from '../../../core/days'
import { listDevicesToReview, takeDueReviews, updateReview } from '../plan/reviews.repository'
import { listTagged } from '../plan/rank.repository'
import { findRelease } from '../plan/releases.repository'
import { listWaves } from '../plan/waves.repository'
import { waveOfLatecomer } from '../plan/waves'
import { formatDeviceCount } from '../plan/device-count'

// Keeps a tick short; the others follow at the next one, two seconds later.
const atOnce = 1000
// How often all devices are reviewed: for the few changes that no trigger reports, such as a renamed tag.
const reviewEveryS = 600

/** The next devices of the review of the whole project, in slices; none while none is due. */
const nextOfReview = async (
  tx: Tx,
  { id, projectId, reviewPosition: after, reviewedAt }: RolloutRow,
  now: Date,
): Promise<string[]> => {
  if (after === null && reviewedAt !== null && secondsAfter(reviewedAt, reviewEveryS) > now) return []
  const found = await listDevicesToReview(tx, projectId, after, atOnce)
  const isLast = found.length < atOnce
  await updateReview(tx, id, { reviewPosition: isLast ? null : (found.at(-1) ?? null), ...(isLast && { reviewedAt: now }) })
  return found.map((device) => device.id)
}

/**
 * Membership `dynamic`: adds devices that match by now, in the wave of their number. Of those that are not in the rollout it reads
 * the ones that have changed since the last tick, and a slice of all from time to time.
 */
export const addMatchingDevices = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  if (row.membership !== 'dynamic') return
  const due = [...(await takeDueReviews(tx, row.id, atOnce, now)), ...(await nextOfReview(tx, row, now))]
  if (due.length === 0) return
  const release = await findRelease(tx, row.releaseId)
  const found = release && (await signed(tx, [release])).get(release.id)
  if (!found) return
  const allowsDowngrade = row.allowDowngrade !== null
  const among = notYetIn(row.id, due)
  const { ids } = await membersOf(tx, {
    projectId: row.projectId,
    target: row.target,
    release: found,
    allowsDowngrade,
    now,
    among,
  })
  if (ids.length === 0) return
  const waves = await listWaves(tx, row.id)
  const names = waves.flatMap(({ tag }) => tag ?? [])
  const tagged = await listTagged(tx, row.projectId, names, ids)
  const tagsOf = (deviceId: string) => new Set(names.filter((name) => tagged.get(name)?.has(deviceId)))
  const members = ids.map((deviceId) => ({ deviceId, wave: waveOfLatecomer(row.id, deviceId, waves, tagsOf(deviceId)) }))
  await insertRolloutDevices(tx, row, members, now)
  await insertTimelineEntry(tx, row, { at: now, kind: 'devices.joined', text: `${formatDeviceCount(ids.length)} joined` })
}
