import { eq, sql } from 'drizzle-orm'
import { projects } from '../../accounts/schema/projects'
import { devices, deviceTokens, enrollmentTokens } from '../schema/devices'
import { logFeeds } from '../schema/telemetry'
import { prepareOnce } from '../../core/database/prepared'
import type { Tx } from '../../core/database/tx'
import { latestOfDevice } from '../telemetry/metrics.repository'

export const projectColumns = {
  settings: projects.settings,
  // The audit chain of the organization or, for a personal project, of its owner: exactly one of the two is set.
  auditChainId: sql<string>`coalesce(${projects.organizationId}, ${projects.ownerId})`,
}

/** What makes a device the caller of a request. */
export const callerColumns = {
  token: {
    deviceId: deviceTokens.deviceId,
    projectId: deviceTokens.projectId,
    usedAt: deviceTokens.usedAt,
    expiresAt: deviceTokens.expiresAt,
  },
  ...projectColumns,
  name: devices.name,
  lifecycle: devices.lifecycle,
  protocol: devices.protocol,
  deletedAt: devices.deletedAt,
}

const deviceColumns = {
  ...callerColumns,
  token: deviceTokens,
  serialNumber: devices.serialNumber,
  formerProjectIds: devices.formerProjectIds,
}

const hash = sql.placeholder('hash')

const deviceByToken = prepareOnce((tx) =>
  tx
    .select(deviceColumns)
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .where(eq(deviceTokens.tokenHash, hash))
    .prepare('device_by_token'),
)

/** The device token of a hash, with its device, the settings and the audit chain of its project. */
export const findDeviceToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await deviceByToken(tx).execute({ hash: tokenHash })
  return found
}

const measuringDeviceByToken = prepareOnce((tx) =>
  tx
    .select({
      ...callerColumns,
      healthStatus: devices.healthStatus,
      healthReasons: devices.healthReasons,
      latest: latestOfDevice,
    })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .where(eq(deviceTokens.tokenHash, hash))
    .prepare('measuring_device_by_token'),
)

/** The same, with what a batch of metrics needs. */
export const findMeasuringDeviceToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await measuringDeviceByToken(tx).execute({ hash: tokenHash })
  return found
}

const loggingDeviceByToken = prepareOnce((tx) =>
  tx
    .select({ ...callerColumns, feed: logFeeds })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .leftJoin(logFeeds, eq(logFeeds.deviceId, devices.id))
    .where(eq(deviceTokens.tokenHash, hash))
    .prepare('logging_device_by_token'),
)

/** The same, with what a batch of log lines needs. */
export const findLoggingDeviceToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await loggingDeviceByToken(tx).execute({ hash: tokenHash })
  return found
}

/** The enrollment token of a hash, with the settings and the audit chain of its project. */
export const findEnrollmentToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await tx
    .select({ token: enrollmentTokens, ...projectColumns })
    .from(enrollmentTokens)
    .innerJoin(projects, eq(projects.id, enrollmentTokens.projectId))
    .where(eq(enrollmentTokens.tokenHash, tokenHash))
  return found
}
