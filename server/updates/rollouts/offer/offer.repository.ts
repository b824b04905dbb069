import { and, asc, desc, eq, inArray, max } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { UpdateState } from '../../../../contract/device/update-events'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { statesOf } from '../../../fleet/devices/state/update-group'
import type { ReleaseRow } from '../../releases/repository'
import { releases } from '../../schema/releases'
import { rolloutDevices, rollouts } from '../../schema/rollouts'
import { activeStates } from './counts'
import type { DeviceUpdateRow } from '../../device-updates/repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'

export type Candidate = { update: DeviceUpdateRow; rollout: RolloutRow; release: ReleaseRow }

// A held one is queued again by the next tick: its device may ask before that.
const open: UpdateState[] = [...statesOf('waiting'), 'held', ...activeStates]
const underway = rolloutMoves.withTag('underway')

/** The updates that the device may get: highest priority, then newest version, then oldest rollout. */
export const listCandidates = (tx: Tx, deviceId: string): Promise<Candidate[]> =>
  tx
    .select({ update: rolloutDevices, rollout: rollouts, release: releases })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .innerJoin(releases, eq(releases.id, rollouts.releaseId))
    .where(and(eq(rolloutDevices.deviceId, deviceId), inArray(rolloutDevices.state, open), inArray(rollouts.phase, underway)))
    .orderBy(desc(rollouts.priority), desc(releases.version), asc(rollouts.createdAt), asc(rollouts.id))

/** The releases from which candidates send their devices back, by the id of their rollout. */
export const findRolledBackReleases = async (tx: Tx, candidates: readonly Candidate[]): Promise<Map<string, string>> => {
  const rolledBack = candidates.flatMap(({ rollout }) => rollout.rollsBackId ?? [])
  if (rolledBack.length === 0) return new Map()
  const rows = await tx
    .select({ id: rollouts.id, releaseId: rollouts.releaseId })
    .from(rollouts)
    .where(inArray(rollouts.id, rolledBack))
  const releaseOf = new Map(rows.map(({ id, releaseId }) => [id, releaseId]))
  return new Map(
    candidates.flatMap(({ rollout }) => {
      const releaseId = releaseOf.get(rollout.rollsBackId ?? '')
      return releaseId === undefined ? [] : [[rollout.id, releaseId] as const]
    }),
  )
}

/** When the latest rollout started that has sent the device back from each of these releases, by the id of the release. */
export const findReturnStarts = async (tx: Tx, deviceId: string, releaseIds: readonly string[]): Promise<Map<string, Date>> => {
  if (releaseIds.length === 0) return new Map()
  const back = alias(rollouts, 'back')
  const rows = await tx
    .select({ releaseId: rollouts.releaseId, at: max(back.startedAt) })
    .from(rolloutDevices)
    .innerJoin(back, eq(back.id, rolloutDevices.rolloutId))
    .innerJoin(rollouts, eq(rollouts.id, back.rollsBackId))
    .where(
      and(
        eq(rolloutDevices.deviceId, deviceId),
        eq(rolloutDevices.state, 'succeeded'),
        inArray(rollouts.releaseId, [...releaseIds]),
      ),
    )
    .groupBy(rollouts.releaseId)
  return new Map(rows.flatMap(({ releaseId, at }) => (at ? [[releaseId, at] as const] : [])))
}

/** When the latest rollout started by which the device got what it runs; null if none has installed it. */
export const findInstallingStart = async (
  tx: Tx,
  { id, installedReleaseId }: Pick<DeviceRow, 'id' | 'installedReleaseId'>,
): Promise<Date | null> => {
  if (installedReleaseId === null) return null
  const [row] = await tx
    .select({ at: max(rollouts.startedAt) })
    .from(rolloutDevices)
    .innerJoin(rollouts, eq(rollouts.id, rolloutDevices.rolloutId))
    .where(
      and(eq(rolloutDevices.deviceId, id), eq(rolloutDevices.state, 'succeeded'), eq(rollouts.releaseId, installedReleaseId)),
    )
  return row?.at ?? null
}
