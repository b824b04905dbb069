import { asc, eq } from 'drizzle-orm'
import { releases } from '../database/schema/releases'
import { rolloutDevices, rolloutWaves } from '../database/schema/rollouts'
import type { Tx } from '../database/tx'
import type { RolloutRow } from '../delivery/rollout-moves'
import { note } from '../delivery/rollout-moves'
import { signed } from '../delivery/signed'
import { enlist } from './create'
import { membersOf } from './members'
import { waveOfLatecomer } from './waves'
import { devicesOf } from './words'

/** Membership `dynamic`: devices that have come to match since then join, in the wave of their number. */
export const join = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  if (row.membership !== 'dynamic') return
  const [release] = await tx.select().from(releases).where(eq(releases.id, row.releaseId))
  const found = release && (await signed(tx, [release])).get(release.id)
  if (!found) return
  const asked = {
    projectId: row.projectId,
    target: row.target,
    release: found,
    allowsDowngrade: row.allowDowngrade !== null,
    now,
  }
  const { included } = await membersOf(tx, asked)
  const present = await tx
    .select({ id: rolloutDevices.deviceId })
    .from(rolloutDevices)
    .where(eq(rolloutDevices.rolloutId, row.id))
  const known = new Set(present.map(({ id }) => id))
  const fresh = included.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return
  const waves = await tx.select().from(rolloutWaves).where(eq(rolloutWaves.rolloutId, row.id)).orderBy(asc(rolloutWaves.n))
  const percents = waves.map(({ percent }) => percent)
  const members = fresh.map(({ id }) => ({ deviceId: id, wave: waveOfLatecomer(row.id, id, percents) }))
  await enlist(tx, row, members, now)
  await note(tx, row, { at: now, kind: 'devices.joined', text: `${devicesOf(fresh.length)} joined` })
}
