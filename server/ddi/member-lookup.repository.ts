import { and, eq, isNull, not, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import { projects } from '../accounts/schema/projects'
import { prepareOnce } from '../core/database/prepared'
import type { Tx } from '../core/database/tx'
import { hasNoOwnToken } from '../fleet/devices/device-token.repository'
import { projectColumns } from '../fleet/enrollment/token-lookup.repository'
import { devices, enrollmentTokens } from '../fleet/schema/devices'
import { ddiDevices } from './schema/ddi'

/** The token or authority by which a device was registered. */
const registeredBy = alias(enrollmentTokens, 'registered_by')

const selectMembers = (tx: Tx, where: SQL | undefined) =>
  tx
    .select({
      token: enrollmentTokens,
      ...projectColumns,
      device: {
        id: devices.id,
        name: devices.name,
        protocol: devices.protocol,
        lifecycle: devices.lifecycle,
      },
      gatewayTokenId: ddiDevices.gatewayTokenId,
      authority: registeredBy.authority,
      hasOwnToken: sql<boolean>`${not(hasNoOwnToken(tx, sql.placeholder('now')))}`,
    })
    .from(enrollmentTokens)
    .innerJoin(projects, eq(projects.id, enrollmentTokens.projectId))
    .leftJoin(
      devices,
      and(
        eq(devices.projectId, enrollmentTokens.projectId),
        eq(devices.serialNumber, sql.placeholder('serial')),
        isNull(devices.deletedAt),
      ),
    )
    .leftJoin(ddiDevices, eq(ddiDevices.deviceId, devices.id))
    .leftJoin(registeredBy, eq(registeredBy.id, ddiDevices.gatewayTokenId))
    .where(where)

const memberByToken = prepareOnce((tx) =>
  selectMembers(tx, eq(enrollmentTokens.tokenHash, sql.placeholder('hash'))).prepare('ddi_member_by_token'),
)

/**
 * The gateway token of a hash, with the settings and the audit chain of its project, and the device with a serial number there, with
 * the token or authority by which it was registered.
 */
export const findMemberByToken = async (tx: Tx, hash: string, serial: string, now: Date) => {
  const [found] = await memberByToken(tx).execute({ hash, serial, now: now.toISOString() })
  return found
}
export type Member = NonNullable<Awaited<ReturnType<typeof findMemberByToken>>>

const memberByAuthority = prepareOnce((tx) =>
  selectMembers(
    tx,
    and(
      eq(enrollmentTokens.projectId, sql.placeholder('projectId')),
      eq(enrollmentTokens.authority, sql.placeholder('authority')),
    ),
  )
    .orderBy(sql`${enrollmentTokens.revokedAt} desc nulls first`)
    .limit(1)
    .prepare('ddi_member_by_authority'),
)

/** The same by an authority of client certificates: by its row in the project that is not revoked, else by the newest. */
export const findMemberByAuthority = async (tx: Tx, projectId: string, authority: string, serial: string, now: Date) => {
  const [found] = await memberByAuthority(tx).execute({ projectId, authority, serial, now: now.toISOString() })
  return found
}
