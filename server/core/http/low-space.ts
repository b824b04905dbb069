import { and, eq, inArray, sql } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../contract/endpoint'
import { lowSpaceHeader } from '../../../contract/limits'
import type { BaseRole } from '../../../contract/roles'
import { members } from '../../accounts/schema/organizations'
import { projects } from '../../accounts/schema/projects'
import type { Tx } from '../database/tx'
import type { Actor } from './actors'
import type { Api } from './api'
import { refuse } from './refuse'

const told: BaseRole[] = ['owner', 'admin', 'operator']

/** Whether the user runs something here: in an organization, or in a project of their own. */
const isResponsible = async (tx: Tx, userId: string): Promise<boolean> => {
  const roles = tx
    .select({ one: sql`1` })
    .from(members)
    .where(and(eq(members.userId, userId), inArray(members.baseRole, told)))
  const own = tx
    .select({ one: sql`1` })
    .from(projects)
    .where(eq(projects.ownerId, userId))
  const { rows } = await tx.execute<{ found: boolean }>(sql`select exists ${roles} or exists ${own} as found`)
  return rows[0]?.found === true
}

/** Adds a header to every answer, refusals included, to users who can act on low disk space (F-19). */
export const tellLowSpace = async ({ deps, freeSpace }: Api, actor: Actor, reply: FastifyReply): Promise<void> => {
  if (actor.kind !== 'user' || !freeSpace.wasLow()) return
  if (await isResponsible(deps.db, actor.id)) reply.header(lowSpaceHeader, '1')
}

// A device keeps its data and retries after this time; people decide themselves.
const deviceRetryAfterS = 60

/**
 * 507 for large writes while disk space is low (F-19). An upload with all its bytes received may still end: its last PATCH is
 * empty.
 */
export const requireSpace = async (
  { freeSpace }: Api,
  { needsSpace, method, rate }: Endpoint,
  { headers }: FastifyRequest,
): Promise<void> => {
  if (needsSpace !== true || (method === 'PATCH' && headers['content-length'] === '0')) return
  if (!(await freeSpace.isLow())) return
  refuse(507, 'no_space', {
    message: 'The server is low on disk space. Free some space, then try again',
    ...(rate === 'device' && { retryAfterS: deviceRetryAfterS }),
  })
}
