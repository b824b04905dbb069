import type { Query, QueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import { tagOf } from '../../contract/accounts/sessions'
import type { Api, Refusal } from '../api/client'
import { organizationsQuery } from '../api/queries/accounts/organizations'
import { type Analytics, createLazyAnalytics } from './analytics/lazy-analytics'
import { type Auth, createAuth } from './session/auth'
import { type ChunkReload, createChunkReload } from './page/chunk-reload'
import { type Connection, createConnection } from './session/connection'
import type { Environment } from './environment'
import { createFirstPage, type FirstPage } from './list/first-page'
import { createSignInRedirect, type SignInRedirect } from './session/sign-in-redirect'
import { createOrganization, type OrganizationActor } from './scope/organization'
import { createLazyQuestionnaire, type Questionnaire } from './questionnaire/lazy-questionnaire'
import { createLowSpace, type LowSpace } from './low-space'
import type { Modals } from './modals/modals'
import { createRememberedScope, type RememberedScope } from './scope/remembered-scope'
import type { SessionStore } from './session/session-store'
import type { UploadConnection } from './uploads/tus'
import { createLazyUploads, type Uploads } from './uploads/lazy-uploads'
import { createUnsavedWork, type UnsavedWork } from './form/unsaved-work'

/** The running charts with their ports implemented. Started once, outside React. */
export type System = {
  environment: Environment
  api: Api
  queryClient: QueryClient
  session: SessionStore
  handOver: SignInRedirect
  remembered: RememberedScope
  auth: Auth
  organization: OrganizationActor
  connection: Connection
  chunkReload: ChunkReload
  uploads: Uploads
  questionnaire: Questionnaire
  modals: Modals
  work: UnsavedWork
  lowSpace: LowSpace
  firstPage: FirstPage
  analytics: Analytics
  /** Called with every refusal of every call. */
  refused: (refusal: Refusal) => void
}

type Parts = { environment: Environment; api: Api; queryClient: QueryClient; session: SessionStore }

export const createSystem = ({ environment, api, queryClient, session }: Parts): System => {
  const remembered = createRememberedScope(window)
  const handOver = createSignInRedirect(window, environment.signIn)
  const forget = () => {
    void queryClient.cancelQueries()
    queryClient.clear()
    remembered.forgetHint()
  }
  const firstPage = createFirstPage()
  const analytics = createLazyAnalytics(environment, firstPage)
  const auth = createAuth({ api, queryClient, session, handOver, forget, analytics })
  const organization = createOrganization({ api, queryClient, remembered })
  const connection = createConnection(window)
  const chunkReload = createChunkReload(window, environment.build)
  const work = createUnsavedWork(window, (running) => chunkReload.send({ type: running ? 'work.began' : 'work.ended' }))
  const refused = ({ status, sessionTag, handledBy, organizationId }: Refusal) => {
    // R1: the custom handler takes precedence; it probes the session itself.
    if (handledBy === 'organization') organization.send({ type: 'organization.refused', scope: organizationId ?? null })
    else if (status === 401) auth.send({ type: 'session.refused', sessionTag })
    // R22: a role may have changed. The chart renews the list of an organization; a guest has one in a personal project.
    else if (status === 403) {
      organization.send({ type: 'permissions.stale' })
      // Only lists that loaded and are not being loaded: one that is refused itself would be requested without end.
      const predicate = ({ state: { status: is, fetchStatus } }: Query) => is === 'success' && fetchStatus === 'idle'
      void queryClient.invalidateQueries({ queryKey: ['permissions', null], predicate })
    }
  }
  const line: UploadConnection = { base: environment.api, token: session.token, onRefused: refused }
  const uploads = createLazyUploads({ api, queryClient, line, work, firstPage })
  const modals: Modals = { actor: undefined }
  const questionnaire = createLazyQuestionnaire({ api, queryClient, session, firstPage, modals })
  return {
    environment,
    api,
    queryClient,
    session,
    handOver,
    remembered,
    auth,
    organization,
    connection,
    chunkReload,
    uploads,
    questionnaire,
    modals,
    work,
    lowSpace: createLowSpace(),
    firstPage,
    analytics,
    refused,
  }
}

/** Connects the charts' announcements (only here), then starts them. */
export const startSystem = (system: System) => {
  const { api, queryClient, session, auth, organization, connection, chunkReload, uploads, questionnaire, modals } = system
  session.watch((token) =>
    auth.send(token === null ? { type: 'token.removedElsewhere' } : { type: 'token.changedElsewhere', sessionTag: tagOf(token) }),
  )
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) auth.send({ type: 'page.returned' })
  })
  auth.on('session.opened', (event) => {
    uploads.send(event)
    questionnaire.send(event)
  })
  auth.on('session.closed', (event) => {
    organization.send(event)
    modals.actor?.send({ type: 'modals.closed' })
    uploads.send(event)
    questionnaire.send(event)
  })
  connection.on('connection.restored', () => {
    auth.send({ type: 'connection.restored' })
    uploads.send({ type: 'connection.restored' })
  })
  const { queryKey } = organizationsQuery(api)
  queryClient.getQueryCache().subscribe((event) => {
    if (event.type !== 'updated' || event.action.type !== 'success' || event.query.queryKey[0] !== queryKey[0]) return
    const organizations = queryClient.getQueryData(queryKey) ?? []
    organization.send({ type: 'organizations.changed', organizations: organizations.map((one) => one.public_id) })
  })
  for (const actor of [connection, chunkReload, organization, auth]) actor.start()
}

const SystemContext = createContext<System | null>(null)
export const SystemProvider = SystemContext

export const useSystem = (): System => {
  const system = useContext(SystemContext)
  if (!system) throw new Error('There is no system around this component')
  return system
}
