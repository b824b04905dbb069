import type { QueryClient } from '@tanstack/react-query'
import { createActor, fromPromise, type ActorRefFrom } from 'xstate'
import { createSession, deleteCurrentSession, tagOf } from '../../../contract/accounts/sessions'
import { type Arrival, authMachine, type Departure } from '../../../machines/auth/auth.machine'
import type { Api } from '../../api/client'
import { selfQuery } from '../../api/queries/accounts/self'
import type { Analytics } from '../analytics/lazy-analytics'
import type { SignInRedirect } from './sign-in-redirect'
import { actorOptions } from '../inspection'
import type { SessionStore } from './session-store'

export type Auth = ActorRefFrom<typeof authMachine>
type Parts = {
  api: Api
  queryClient: QueryClient
  session: SessionStore
  handOver: SignInRedirect
  forget: () => void
  analytics: Analytics
}

const arrivalOf = ({ session, handOver }: Parts): Arrival => {
  if (handOver.returned()) return { found: 'code' }
  const token = session.read()
  return token === null ? { found: 'nothing' } : { found: 'token', sessionTag: tagOf(token) }
}

const redeem = async ({ api, session, handOver }: Parts) => {
  const round = handOver.take()
  if (!round) throw new Error('There is no code to redeem')
  const { code, verifier } = round
  const { session_token: token } = await api(createSession, {}, { body: { code, code_verifier: verifier } })
  session.write(token)
  return { sessionTag: tagOf(token) }
}

export const createAuth = (parts: Parts): Auth => {
  const { api, queryClient, session, handOver, forget, analytics } = parts
  return createActor(
    authMachine.provide({
      actors: {
        arrival: fromPromise(async () => arrivalOf(parts)),
        exchange: fromPromise(() => redeem(parts)),
        self: fromPromise<void, void>(async () => {
          await queryClient.fetchQuery(selfQuery(api))
        }),
        signOut: fromPromise(() => api(deleteCurrentSession)),
        departure: fromPromise(async (): Promise<Departure> => {
          await handOver.prepare()
          return session.writable() ? { storage: 'works', rounds: handOver.rounds() } : { storage: 'blocked', rounds: 0 }
        }),
      },
      actions: { clearToken: () => session.clear(), forgetEverything: forget, resetAnalytics: () => analytics.reset() },
    }),
    actorOptions,
  )
}
