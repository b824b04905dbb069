import { and, eq, gt, sql } from 'drizzle-orm'
import { planLimits } from '../../../contract/plans'
import { projects } from '../../accounts/schema/projects'
import { assets, uploads } from '../schema/releases'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { ProjectScope } from '../../core/http/scope'
import { refuse } from '../../core/http/refuse'
import { bytesAboveLimit } from '../../core/storage/free-space'
import { sumOfUnheldBytes } from './ended'

type Needs = Pick<Deps, 'config' | 'clock' | 'diskSpace'>

const usedBy = async (tx: Tx, { organizationId, ownerId }: ProjectScope) => {
  const owned = organizationId === null ? eq(projects.ownerId, ownerId ?? '') : eq(projects.organizationId, organizationId)
  const mine = sql`(select ${projects.id} from ${projects} where ${owned})`
  const stored = sql`(select coalesce(sum(${assets.size}), 0)::bigint from ${assets} where ${assets.projectId} in ${mine})`
  const { rows } = await tx.execute<{ used: string }>(sql`select (${stored} + ${sumOfUnheldBytes(mine)})::text as used`)
  return Number(rows[0]?.used ?? 0)
}

/** Bytes that open uploads may still send. One caller at a time: two concurrent uploads must not get the same space. */
const reservedBytes = async (tx: Tx, now: Date): Promise<number> => {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('upload space', 3))`)
  const left = sql<number>`coalesce(sum(${uploads.size} - ${uploads.offset}), 0)::bigint`.mapWith(Number)
  const [row] = await tx
    .select({ left })
    .from(uploads)
    .where(and(eq(uploads.state, 'open'), gt(uploads.expiresAt, now)))
  return row?.left ?? 0
}

/** 507 if the owner's plan, or the disk, has no space for the stored and announced bytes and this upload (F-19). */
export const checkSpace = async (tx: Tx, deps: Needs, project: ProjectScope, size: number): Promise<void> => {
  const limit = planLimits[project.plan].storage_bytes
  const used = await usedBy(tx, project)
  if (used > limit) refuse(507, 'no_space', { message: 'The plan has no room left for this file', about: { limit, used } })
  const reserved = await reservedBytes(tx, deps.clock())
  const free = Math.max(0, (await bytesAboveLimit(deps, deps.config.uploadsDirectory)) - reserved)
  if (size > free) refuse(507, 'no_space', { message: 'The server has no space left for this file', about: { free, size } })
}
