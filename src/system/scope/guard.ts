import type { QueryClient } from '@tanstack/react-query'
import { waitFor } from 'xstate'
import { missing, type Permission } from '../../../contract/core/permissions'
import type { Api } from '../../api/client'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { permissionsQuery } from '../../api/queries/accounts/permissions'
import { selfQuery } from '../../api/queries/accounts/self'
import { type Scope, scopeFromPath } from './scope'
import type { System } from '../system'

/** The context of every route. */
export type RouterContext = { api: Api; queryClient: QueryClient; system: System }

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Permissions of this route: read by the guard and by the menus. */
    needs?: readonly Permission[]
    /** Its name in menus and in the title. */
    label?: string
  }
}

/** The arguments of a page's loader; `P` names its parameters. */
export type LoaderArgs<P extends string = never> = {
  context: RouterContext
  params: { [N in P]: string }
  location: { search: object }
}

/** A route that the user may not open; the page shows the missing permission and the roles that have it, without a redirect. */
export class ForbiddenRoute extends Error {
  readonly lacking: readonly Permission[]
  constructor(lacking: readonly Permission[]) {
    super(`Needs ${lacking.join(', ')}`)
    this.name = 'Refused'
    this.lacking = lacking
  }
}

/** What the guards request could not be loaded, by the failure in `cause`; the page has a Try again button. */
export class ScopeFailed extends Error {
  override name = 'ScopeFailed'
}

type Visit = {
  context: RouterContext
  preload: boolean
  params: { organizationId?: string; projectId?: string }
  matches: readonly { staticData?: { needs?: readonly Permission[] } }[]
}

const never = () => new Promise<never>(() => {})

/** Waits until a user is signed in; the pages of the auth chart are shown meanwhile. */
export const enterSession = async ({ context: { system } }: Pick<Visit, 'context'>): Promise<void> => {
  await waitFor(system.auth, (snapshot) => snapshot.hasTag('signedIn'))
}

const settled = async ({ api, queryClient, organization }: System): Promise<Scope> => {
  const snapshot = await waitFor(organization, (one) => one.hasTag('settled'))
  const { scope } = snapshot.context
  if (!snapshot.hasTag('failed')) return scope
  const what = snapshot.matches({ failed: 'choosing' }) ? 'Your organizations' : 'Your permissions in this organization'
  // There is no failure after the chart's own time limit.
  const cause = [permissionsQuery(api, scope), selfQuery(api), organizationsQuery(api)]
    .map(({ queryKey }) => queryClient.getQueryState(queryKey)?.error)
    .find(Boolean)
  throw new ScopeFailed(`${what} could not be loaded. Nothing was changed.`, { cause })
}

/** §4: the organization of the URL; otherwise the stored one, the first, or none. Notifies the chart only on a real visit. */
export const enterScope = async (arrival: Visit): Promise<void> => {
  const { context, preload, params } = arrival
  await enterSession(arrival)
  if (preload || params.organizationId === undefined) return
  const scope = scopeFromPath(params.organizationId)
  context.system.organization.send({ type: 'route.entered', scope })
  // The bridge navigates away from a lost scope, which ends this load.
  if ((await settled(context.system)) !== scope) await never()
  // Inside a project its own permission list counts, requested by the project's route.
  if (params.projectId === undefined) await requirePermissions(arrival)
}

/** The scope of a page without an organization in its path. */
export const currentScope = async (arrival: Pick<Visit, 'context'>): Promise<Scope> => {
  await enterSession(arrival)
  arrival.context.system.organization.send({ type: 'route.entered', scope: undefined })
  return settled(arrival.context.system)
}

/** §6: requires every permission of a route and its parents, inside a project by the project's list. The only guard. */
export const requirePermissions = async ({ context: { api, queryClient }, params, matches }: Visit): Promise<void> => {
  const needs = [...new Set(matches.flatMap((match) => match.staticData?.needs ?? []))]
  if (needs.length === 0 || params.organizationId === undefined) return
  const query = permissionsQuery(api, scopeFromPath(params.organizationId), params.projectId ?? null)
  const { grants } = await queryClient.ensureQueryData(query).catch((cause: unknown) => {
    throw new ScopeFailed('Your permissions could not be loaded. Nothing was changed.', { cause })
  })
  const lacking = missing(grants, needs)
  if (lacking.length > 0) throw new ForbiddenRoute(lacking)
}
