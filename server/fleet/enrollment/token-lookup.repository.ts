import { eq, type SQL, sql } from 'drizzle-orm'
import { projects } from '../../accounts/schema/projects'
import { devices, deviceTokens, enrollmentTokens } from '../schema/devices'
import { latestMetrics, logFeeds } from '../schema/telemetry'
import { prepareOnce } from '../../core/database/prepared'
import { groupCalls } from '../../core/http/group-calls'
import type { Tx } from '../../core/database/tx'
import { latestColumns } from '../telemetry/metrics.repository'

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

/** A condition on the token of a request: its hash, or those of several requests. */
export const isToken = eq(deviceTokens.tokenHash, hash)
export const isOneOfTokens = sql`${deviceTokens.tokenHash} = any(${sql.placeholder('hashes')})`

type ByHash<Row> = { execute: (values: Record<string, unknown>) => Promise<Row[]> }

/**
 * Looks tokens up in the database at each request, those of requests that arrive together by one statement. It starts after they
 * have arrived, so a token that was revoked before is not found.
 */
export const lookUpTogether = <Row extends { tokenHash: string }>(
  one: (tx: Tx) => ByHash<Row>,
  several: (tx: Tx) => ByHash<Row>,
): ((tx: Tx, tokenHash: string) => Promise<Row | undefined>) => {
  const grouped = prepareOnce((tx) =>
    groupCalls<string, Row | undefined>({
      one: async (tokenHash) => (await one(tx).execute({ hash: tokenHash }))[0],
      all: async (hashes) => {
        const rows = await several(tx).execute({ hashes })
        const found = new Map(rows.map((row) => [row.tokenHash, row]))
        return hashes.map((tokenHash) => found.get(tokenHash))
      },
    }),
  )
  return (tx, tokenHash) => grouped(tx)(tokenHash)
}

const deviceByToken = prepareOnce((tx) =>
  tx
    .select(deviceColumns)
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .where(isToken)
    .prepare('device_by_token'),
)

/** The device token of a hash, with its device, the settings and the audit chain of its project. */
export const findDeviceToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await deviceByToken(tx).execute({ hash: tokenHash })
  return found
}

const selectMeasuring = (tx: Tx, condition: SQL) =>
  tx
    .select({
      ...callerColumns,
      tokenHash: deviceTokens.tokenHash,
      healthStatus: devices.healthStatus,
      healthReasons: devices.healthReasons,
      latest: latestColumns,
    })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .leftJoin(latestMetrics, eq(latestMetrics.deviceId, devices.id))
    .where(condition)

/** The same, with what a batch of metrics needs. */
export const findMeasuringDeviceToken = lookUpTogether(
  prepareOnce((tx) => selectMeasuring(tx, isToken).prepare('measuring_device_by_token')),
  prepareOnce((tx) => selectMeasuring(tx, isOneOfTokens).prepare('measuring_devices_by_token')),
)

const selectLogging = (tx: Tx, condition: SQL) =>
  tx
    .select({ ...callerColumns, tokenHash: deviceTokens.tokenHash, feed: logFeeds })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .leftJoin(logFeeds, eq(logFeeds.deviceId, devices.id))
    .where(condition)

/** The same, with what a batch of log lines needs. */
export const findLoggingDeviceToken = lookUpTogether(
  prepareOnce((tx) => selectLogging(tx, isToken).prepare('logging_device_by_token')),
  prepareOnce((tx) => selectLogging(tx, isOneOfTokens).prepare('logging_devices_by_token')),
)

/** The enrollment token of a hash, with the settings and the audit chain of its project. */
export const findEnrollmentToken = async (tx: Tx, tokenHash: string) => {
  const [found] = await tx
    .select({ token: enrollmentTokens, ...projectColumns })
    .from(enrollmentTokens)
    .innerJoin(projects, eq(projects.id, enrollmentTokens.projectId))
    .where(eq(enrollmentTokens.tokenHash, tokenHash))
  return found
}
