import { allows } from '../../../../contract/core/permissions'
import { recordSystemEvent } from '../../../accounts/audit/system'
import { listProjectPeople } from '../../../accounts/notifications/people.repository'
import type { Tx } from '../../../core/database/tx'
import type { ReleaseRow } from '../../releases/repository'
import { requireBundleNotRevoked } from '../../releases/needed-bundle'
import { requireIntactFiles, signed } from '../../releases/signing/envelope'
import { findRelease } from '../plan/releases.repository'
import { type RolloutRow, updateRollout } from '../rows/rollout-rows.repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { notFound, Refusal } from '../../../core/http/refuse'
import { requireDeployable } from '../plan/preview'
import { start } from './wave-moves'

const releaseOf = async (tx: Tx, { releaseId }: RolloutRow): Promise<ReleaseRow> =>
  (await findRelease(tx, releaseId)) ?? notFound()

/** 409 if a file of the release is damaged: it must not be offered. */
export const requireIntact = async (tx: Tx, row: RolloutRow): Promise<void> => {
  const release = await releaseOf(tx, row)
  requireIntactFiles((await signed(tx, [release])).get(release.id) ?? notFound())
}

export const requireDeployableRelease = async (tx: Tx, row: RolloutRow, now: Date): Promise<void> => {
  const release = await releaseOf(tx, row)
  requireDeployable(release, now)
  await requireBundleNotRevoked(tx, release)
  await requireIntact(tx, row)
}

/** Nobody is responsible any more for what a person has scheduled who may not start it themselves. */
const isMakerAllowed = async (tx: Tx, { projectId, createdBy }: RolloutRow): Promise<boolean> => {
  if (createdBy?.kind !== 'user') return true
  const [maker] = await listProjectPeople(tx, { projectIds: [projectId], userIds: [createdBy.id] })
  return maker !== undefined && allows(maker.grants, ['project:manage_releases'])
}

const describeObstacle = async (tx: Tx, row: RolloutRow, now: Date): Promise<string | null> => {
  if (!(await isMakerAllowed(tx, row)))
    return `It waits for a person: ${row.createdBy?.name}, who created it, may no longer manage releases here. Start it now, or cancel it`
  try {
    await requireDeployableRelease(tx, row, now)
    return null
  } catch (error) {
    if (error instanceof Refusal) return `It cannot start: ${error.message}`
    throw error
  }
}

/**
 * Starts a scheduled rollout at its time. One whose release can no longer be rolled out, or whose maker may no longer do so, stays
 * scheduled, with the reason.
 */
export const startScheduled = async (tx: Tx, row: RolloutRow, now: Date): Promise<RolloutRow> => {
  const stateReason = await describeObstacle(tx, row, now)
  if (stateReason === null) {
    const target = { kind: 'rollout', id: row.id, name: row.name }
    const reason = row.startAt === null ? 'It was approved' : 'The start time was reached'
    const started = await start(tx, row, { now, by: null })
    // Last: the organization's log is locked from here to the end of the transaction.
    await recordSystemEvent(tx, { projectId: row.projectId, action: 'rollout.start', by: 'Schedule', target, reason }, now)
    return started
  }
  if (row.stateReason === stateReason) return row
  await insertTimelineEntry(tx, row, { at: now, kind: 'rollout.held', text: stateReason })
  return (await updateRollout(tx, row.id, { stateReason }, now)) ?? row
}
