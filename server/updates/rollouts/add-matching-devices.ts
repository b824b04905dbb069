import type { Tx } from '../../core/database/tx'
import type { RolloutRow } from './rollout-rows.repository'
import { insertTimelineEntry } from './timeline.repository'
import { signed } from '../releases/signing/envelope'
import { insertRolloutDevices } from './rollout-devices.repository'
import { membersOf } from './members'
import { notIn } from './members.repository'
import { listTagged } from './rank.repository'
import { findRelease } from './releases.repository'
import { listWaves } from './waves.repository'
import { waveOfLatecomer } from './waves'
import { formatDeviceCount } from './device-count'

// The others are added at the next tick, two seconds later.
const atOnce = 1000

/** Membership `dynamic`: adds devices that match by now, in the wave of their number. */
export const addMatchingDevices = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  if (row.membership !== 'dynamic') return
  const release = await findRelease(tx, row.releaseId)
  const found = release && (await signed(tx, [release])).get(release.id)
  if (!found) return
  const allowsDowngrade = row.allowDowngrade !== null
  const asked = { projectId: row.projectId, target: row.target, release: found, allowsDowngrade, now, among: notIn(row.id) }
  const fresh = (await membersOf(tx, asked)).ids.slice(0, atOnce)
  if (fresh.length === 0) return
  const waves = await listWaves(tx, row.id)
  const names = waves.flatMap(({ tag }) => tag ?? [])
  const tagged = await listTagged(tx, row.projectId, names)
  const tagsOf = (deviceId: string) => new Set(names.filter((name) => tagged.get(name)?.has(deviceId)))
  const members = fresh.map((deviceId) => ({ deviceId, wave: waveOfLatecomer(row.id, deviceId, waves, tagsOf(deviceId)) }))
  await insertRolloutDevices(tx, row, members, now)
  await insertTimelineEntry(tx, row, { at: now, kind: 'devices.joined', text: `${formatDeviceCount(fresh.length)} joined` })
}
