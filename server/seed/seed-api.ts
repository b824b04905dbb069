import type { FastifyInstance } from 'fastify'
import { buildApi } from '../api'
import type { Deps } from '../core/deps'
import { insertSession, endSession } from '../accounts/sessions/repository'
import { type ApiCaller, asker } from './caller'

/** An API without a socket for the demo, and sessions that end with the work. */
export type SeedApi = {
  app: FastifyInstance
  host: string
  ask: ApiCaller
  /** Creates a session of a person, at the current time of the demo's clock. */
  actAs: (userId: string) => Promise<string>
  close: () => Promise<void>
}

export const openSeedApi = (deps: Deps): SeedApi => {
  const app = buildApi(deps)
  const host = new URL(deps.config.urls.api).host
  const opened: string[] = []
  return {
    app,
    host,
    ask: asker(app, host),
    actAs: async (userId) => {
      const absoluteS = deps.config.limits.sessionAbsoluteS
      const at = { now: deps.clock(), absoluteS, ip: '127.0.0.1', userAgent: 'Teasel demo' }
      const session = await insertSession(deps.db, { userId, signInId: null, ...at })
      opened.push(session.id)
      return session.token
    },
    close: async () => {
      for (const id of opened) await endSession(deps.db, id, deps.clock())
      await app.close()
    },
  }
}
