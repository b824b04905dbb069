import { eq, type SQL, sql } from 'drizzle-orm'
import { projects } from '../accounts/schema/projects'
import { prepareOnce } from '../core/database/prepared'
import type { Tx } from '../core/database/tx'
import { toCheckInColumns } from '../fleet/devices/reported'
import { queuedCommands } from '../fleet/devices/steps/commands.repository'
import { callerColumns, isOneOfTokens, isToken, lookUpTogether } from '../fleet/enrollment/token-lookup.repository'
import { verifiableKeyLists } from '../fleet/key-lists/repository'
import { devices, deviceTokens } from '../fleet/schema/devices'
import { openUpdates } from './update.repository'

const exists = (query: SQL | { getSQL: () => SQL }): SQL<boolean> => sql<boolean>`exists (${query})`

/** The keys and the list that the device reported last: those of its check-in, if it has no news. */
const holder = { projectId: devices.projectId, counter: devices.keyListCounter, fingerprints: devices.trustedKeys }

const selectChecking = (tx: Tx, condition: SQL) =>
  tx
    .select({
      ...callerColumns,
      tokenHash: deviceTokens.tokenHash,
      ...toCheckInColumns(devices),
      attributesHash: devices.attributesHash,
      projectId: devices.projectId,
      formerProjectIds: devices.formerProjectIds,
      eventSequence: devices.eventSequence,
      hasCommands: exists(queuedCommands(tx, devices.id)),
      hasUpdate: exists(openUpdates(tx, devices.id)),
      hasKeyList: exists(verifiableKeyLists(tx, holder)),
    })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .where(condition)

/** The device of a token with all that a check-in without news needs. */
export const findCheckingDevice = lookUpTogether(
  prepareOnce((tx) => selectChecking(tx, isToken).prepare('checking_device_by_token')),
  prepareOnce((tx) => selectChecking(tx, isOneOfTokens).prepare('checking_devices_by_token')),
)
