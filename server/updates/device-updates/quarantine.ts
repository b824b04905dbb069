import { and, count, eq, inArray, notInArray } from 'drizzle-orm'
import { statesOf } from '../../fleet/devices/update-group'
import type { ProjectSettings } from '../../../contract/projects'
import { devices } from '../../fleet/schema/devices'
import { updateEvents } from '../../fleet/schema/telemetry.partitioned'
import type { Tx } from '../../core/database/tx'
import { secondsAfter } from '../../core/days'

const failed = statesOf('failed')

type Failed = { projectId: string; deviceId: string; releaseId: string }

/**
 * After `device_failure_threshold` failed attempts of one release, none of it is offered for `quarantine_s`. Counts the stored
 * events, so call it after storing the failure.
 */
export const quarantineIfDue = async (
  tx: Tx,
  { device_failure_threshold, quarantine_s }: ProjectSettings,
  { projectId, deviceId, releaseId }: Failed,
  now: Date,
): Promise<void> => {
  if (quarantine_s === 0) return
  const [failures] = await tx
    .select({ n: count() })
    .from(updateEvents)
    .where(
      and(
        eq(updateEvents.projectId, projectId),
        eq(updateEvents.deviceId, deviceId),
        eq(updateEvents.releaseId, releaseId),
        inArray(updateEvents.toState, failed),
        // An update that failed and then rolled back has failed once.
        notInArray(updateEvents.fromState, failed),
      ),
    )
  const n = failures?.n ?? 0
  if (n < device_failure_threshold) return
  await tx
    .update(devices)
    .set({
      quarantineUntil: secondsAfter(now, quarantine_s),
      quarantineReason: `${n} failed attempts of one release`,
      quarantineReleaseId: releaseId,
    })
    .where(eq(devices.id, deviceId))
}
