import { eq, type SQL, sql } from 'drizzle-orm'
import type { Tx } from '../core/database/tx'
import { queuedCommands } from '../fleet/devices/commands.repository'
import { verifiableKeyLists } from '../fleet/key-lists/repository'
import { devices } from '../fleet/schema/devices'
import { openUpdates } from './update.repository'

type Caller = { id: string; projectId: string; counter: number; fingerprints: readonly string[] }

const exists = (query: SQL | { getSQL: () => SQL }): SQL<boolean> => sql<boolean>`exists (${query})`

/** All that a check-in without news needs, in one statement. */
export const findCheckInState = async (tx: Tx, { id, projectId, counter, fingerprints }: Caller) => {
  const [found] = await tx
    .select({
      lifecycle: devices.lifecycle,
      firstSeenAt: devices.firstSeenAt,
      lastSeenAt: devices.lastSeenAt,
      enrolledAt: devices.enrolledAt,
      bootId: devices.bootId,
      seenFrom: devices.seenFrom,
      trustedKeys: devices.trustedKeys,
      keyListCounter: devices.keyListCounter,
      secureBootState: devices.secureBootState,
      rollbackVersion: devices.rollbackVersion,
      secureBootBundleId: devices.secureBootBundleId,
      secureBootKeyHash: devices.secureBootKeyHash,
      fuseWords: devices.fuseWords,
      pollingIntervalS: devices.pollingIntervalS,
      configuredPollingS: devices.configuredPollingS,
      clientName: devices.clientName,
      clientVersion: devices.clientVersion,
      clientConfigHash: devices.clientConfigHash,
      installedReleaseId: devices.installedReleaseId,
      installedVersion: devices.installedVersion,
      installedSlot: devices.installedSlot,
      installedConfirmed: devices.installedConfirmed,
      attributesHash: devices.attributesHash,
      projectId: devices.projectId,
      formerProjectIds: devices.formerProjectIds,
      hasCommands: exists(queuedCommands(tx, id)),
      hasUpdate: exists(openUpdates(tx, id)),
      hasKeyList:
        fingerprints.length === 0 ? sql<boolean>`false` : exists(verifiableKeyLists(tx, { projectId, counter, fingerprints })),
    })
    .from(devices)
    .where(eq(devices.id, id))
  return found
}
