import { mkdir, statfs } from 'node:fs/promises'
import { eq, sql } from 'drizzle-orm'
import { planLimits } from '../../contract/plans'
import { projects } from '../database/schema/projects'
import { assets } from '../database/schema/releases'
import type { Tx } from '../database/tx'
import type { Config } from '../config'
import type { ProjectPlace } from '../http/places'
import { refuse } from '../http/refuse'

const usedBy = async (tx: Tx, { organizationId, ownerId }: ProjectPlace) => {
  const owned = organizationId === null ? eq(projects.ownerId, ownerId ?? '') : eq(projects.organizationId, organizationId)
  const used = sql<number>`coalesce(sum(${assets.size}), 0)::bigint`.mapWith(Number)
  const [row] = await tx.select({ used }).from(assets).innerJoin(projects, eq(projects.id, assets.projectId)).where(owned)
  return row?.used ?? 0
}

/** 507 when the plan of the owner, or the disk, has no room for what is named already and this. */
export const checkSpace = async (tx: Tx, config: Config, project: ProjectPlace, size: number): Promise<void> => {
  const limit = planLimits[project.plan].storage_bytes
  const used = await usedBy(tx, project)
  if (used > limit) refuse(507, 'no_space', { message: 'The plan has no room left for this file', about: { limit, used } })
  await mkdir(config.uploadsDirectory, { recursive: true, mode: 0o700 })
  const { bavail, bsize } = await statfs(config.uploadsDirectory)
  if (bavail * bsize - size < config.limits.freeBytes) refuse(507, 'no_space')
}
