import { eq, type SQL, sql } from 'drizzle-orm'
import { prepareOnce } from '../core/database/prepared'
import type { Tx } from '../core/database/tx'
import { queuedCommands } from '../fleet/devices/commands.repository'
import { verifiableKeyLists } from '../fleet/key-lists/repository'
import { devices } from '../fleet/schema/devices'
import { openUpdates } from './update.repository'

type Caller = { id: string; projectId: string; counter: number; fingerprints: readonly string[] }

const exists = (query: SQL | { getSQL: () => SQL }): SQL<boolean> => sql<boolean>`exists (${query})`

const id = sql.placeholder('id')
const holder = {
  projectId: sql.placeholder('projectId'),
  counter: sql.placeholder('counter'),
  fingerprints: sql.placeholder('fingerprints'),
}

const checkInState = prepareOnce((tx) =>
  tx
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
      hasKeyList: exists(verifiableKeyLists(tx, holder)),
    })
    .from(devices)
    .where(eq(devices.id, id))
    .prepare('check_in_state'),
)

/** All that a check-in without news needs, in one statement. */
export const findCheckInState = async (tx: Tx, caller: Caller) => {
  const [found] = await checkInState(tx).execute(caller)
  return found
}
