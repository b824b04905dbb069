import { asc, eq, sql } from 'drizzle-orm'
import { devices } from '../../fleet/schema/devices'
import { releases } from '../schema/releases'
import { rolloutDevices, rolloutWaves } from '../schema/rollouts'
import type { Tx } from '../../core/database/tx'
import type { RolloutRow } from './rollout-rows.repository'
import { insertTimelineEntry } from './timeline.repository'
import { signed } from '../releases/signing/envelope'
import { insertRolloutDevices } from './rollout-devices.repository'
import { membersOf } from './members'
import { waveOfLatecomer } from './waves'
import { formatDeviceCount } from './device-count'

// The others are added at the next tick, two seconds later.
const atOnce = 1000

/** Membership `dynamic`: adds devices that match by now, in the wave of their number. */
export const addMatchingDevices = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  if (row.membership !== 'dynamic') return
  const [release] = await tx.select().from(releases).where(eq(releases.id, row.releaseId))
  const found = release && (await signed(tx, [release])).get(release.id)
  if (!found) return
  const among = sql`not exists (select from ${rolloutDevices}
    where ${rolloutDevices.rolloutId} = ${row.id} and ${rolloutDevices.deviceId} = ${devices.id})`
  const allowsDowngrade = row.allowDowngrade !== null
  const asked = { projectId: row.projectId, target: row.target, release: found, allowsDowngrade, now, among }
  const fresh = (await membersOf(tx, asked)).ids.slice(0, atOnce)
  if (fresh.length === 0) return
  const waves = await tx.select().from(rolloutWaves).where(eq(rolloutWaves.rolloutId, row.id)).orderBy(asc(rolloutWaves.n))
  const percents = waves.map(({ percent }) => percent)
  const members = fresh.map((deviceId) => ({ deviceId, wave: waveOfLatecomer(row.id, deviceId, percents) }))
  await insertRolloutDevices(tx, row, members, now)
  await insertTimelineEntry(tx, row, { at: now, kind: 'devices.joined', text: `${formatDeviceCount(fresh.length)} joined` })
}
