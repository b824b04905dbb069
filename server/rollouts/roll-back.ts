import { and, eq, isNotNull } from 'drizzle-orm'
import { devices } from '../database/schema/devices'
import { releases } from '../database/schema/releases'
import { rolloutDevices, rollouts } from '../database/schema/rollouts'
import type { Tx } from '../database/tx'
import { moveRollout, note, type RolloutRow } from '../delivery/rollout-moves'
import { askToAbort, cancelWaiting } from '../delivery/stop-rollouts'
import { signed } from '../delivery/signed'
import { Refusal } from '../http/refuse'
import { create } from './create'
import { preview } from './preview'
import { start } from './wave-moves'

type Why = { reason: string; by: string | null; now: Date }

const noGate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 0, then: 'continue' } as const

/** The devices that run the release of this rollout, by the release that they ran before. */
const formerOf = async (tx: Tx, row: RolloutRow) => {
  const found = await tx
    .select({ deviceId: rolloutDevices.deviceId, former: rolloutDevices.fromReleaseId })
    .from(rolloutDevices)
    .innerJoin(devices, eq(devices.id, rolloutDevices.deviceId))
    .where(
      and(
        eq(rolloutDevices.rolloutId, row.id),
        eq(devices.installedReleaseId, row.releaseId),
        isNotNull(rolloutDevices.fromReleaseId),
      ),
    )
  const groups = new Map<string, string[]>()
  for (const { deviceId, former } of found) if (former !== null) groups.set(former, [...(groups.get(former) ?? []), deviceId])
  return groups
}

/** One rollout to one former release, made and started at once; what may not go back is left out by the checks. */
const sendBack = async (
  tx: Tx,
  row: RolloutRow,
  releaseId: string,
  deviceIds: string[],
  { reason, now }: Why,
): Promise<number> => {
  const [release] = await tx.select().from(releases).where(eq(releases.id, releaseId)).for('update')
  if (!release || !(await signed(tx, [release])).get(releaseId)?.signedBy.length) return 0
  const target = { device_ids: deviceIds }
  const waves = [{ kind: 'percent' as const, value: 100, gate: noGate }]
  const seen = await preview(tx, release, { target, waves, allowsDowngrade: true }, now)
  if (seen.members.included.length === 0) return 0
  const asked = {
    target,
    waves,
    name: `Back from ${row.name}`.slice(0, 256),
    preview_hash: seen.hash,
    allow_downgrade: { reason },
    override_reason: reason,
    priority: 100,
  }
  const id = await create(tx, release, asked, { maker: null, now, requiresApproval: false })
  const set = { rollsBackId: row.id, requiresApproval: false }
  const [made] = await tx.update(rollouts).set(set).where(eq(rollouts.id, id)).returning()
  if (made) await start(tx, made, { now, by: null })
  return seen.members.included.length
}

/**
 * Stops offering and sends each device back to what it ran before (product.md 4.9): a new rollout for each former release,
 * for exactly the devices whose signed manifest and rollback number allow it. The others are told of in the timeline.
 */
export const rollBack = async (tx: Tx, row: RolloutRow, why: Why): Promise<RolloutRow> => {
  const { reason, by, now } = why
  const text = `Rolling back: ${reason}`
  const rolling = await moveRollout(tx, row, 'rollback.began', { now, by, text, set: { stateReason: reason } })
  await cancelWaiting(tx, row.id, 'The rollout is rolled back', now)
  await askToAbort(tx, row.id)
  let sent = 0
  let all = 0
  for (const [releaseId, ids] of await formerOf(tx, row)) {
    all += ids.length
    // A release that was revoked or has expired since is nothing to go back to: its devices stay where they are.
    sent += await sendBack(tx, row, releaseId, ids, why).catch((error: unknown) =>
      error instanceof Refusal ? 0 : Promise.reject(error),
    )
  }
  await note(tx, row, { at: now, kind: 'rollback.sent', text: `${sent} of ${all} devices can go back; ${all - sent} stay` })
  return rolling
}

/** Whether all that was sent back has ended. */
export const isBack = async (tx: Tx, row: RolloutRow): Promise<boolean> => {
  const children = await tx.select({ endedAt: rollouts.endedAt }).from(rollouts).where(eq(rollouts.rollsBackId, row.id))
  return children.every(({ endedAt }) => endedAt !== null)
}
