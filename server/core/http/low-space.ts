import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../../contract/core/endpoint'
import { lowSpaceHeader } from '../../../contract/core/limits'
import type { Actor } from './actors'
import type { Api } from './api'
import { refuse } from './refuse'

/** Tells users who can free disk space that it is low, by a header of every answer, refusals included (F-19). */
export const addLowSpaceHeader = async (api: Api, actor: Actor, reply: FastifyReply): Promise<void> => {
  if (actor.kind !== 'user' || !api.freeSpace.wasLow()) return
  if (await api.rights.mayFreeSpace(api.deps.db, actor.id)) reply.header(lowSpaceHeader, '1')
}

// Devices keep their data and retry after this time. People get no time: somebody must free space first.
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
