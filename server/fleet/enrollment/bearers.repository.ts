import { eq, sql } from 'drizzle-orm'
import { projects } from '../../accounts/schema/projects'
import { devices, deviceTokens, enrollmentTokens } from '../schema/devices'
import type { Tx } from '../../core/database/tx'

const project = {
  settings: projects.settings,
  // A project belongs to an organization or to a person: exactly one of the two is set.
  space: sql<string>`coalesce(${projects.organizationId}, ${projects.ownerId})`,
}

/** A device token with its device, the settings and the audit chain of its project. */
export const findDeviceBearer = async (tx: Tx, tokenHash: string) => {
  const [found] = await tx
    .select({ token: deviceTokens, ...project, name: devices.name, lifecycle: devices.lifecycle, deletedAt: devices.deletedAt })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .innerJoin(projects, eq(projects.id, deviceTokens.projectId))
    .where(eq(deviceTokens.tokenHash, tokenHash))
  return found
}

/** An enrollment token with the settings and the audit chain of its project. */
export const findEnrollmentBearer = async (tx: Tx, tokenHash: string) => {
  const [found] = await tx
    .select({ token: enrollmentTokens, ...project })
    .from(enrollmentTokens)
    .innerJoin(projects, eq(projects.id, enrollmentTokens.projectId))
    .where(eq(enrollmentTokens.tokenHash, tokenHash))
  return found
}
