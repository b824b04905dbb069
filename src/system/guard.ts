import type { QueryClient } from '@tanstack/react-query'
import { waitFor } from 'xstate'
import { missing, type Permission } from '../../contract/permissions'
import type { Api } from '../api/client'
import { permissionsQuery } from '../api/queries/permissions'
import { type Scope, scopeFromPath } from './scope'
import type { System } from './system'

/** What every route is given. */
export type RouterContext = { api: Api; queryClient: QueryClient; system: System }

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Permissions that this place needs: read by the guard and by the menus. */
    needs?: readonly Permission[]
    /** Its name in menus and in the title. */
    label?: string
  }
}

/** What the loader of a page is given; `P` names its parameters. */
export type LoaderArgs<P extends string = never> = {
  context: RouterContext
  params: { [N in P]: string }
  location: { search: object }
}

/** A place the user may not open; the page says which permission is missing and who has it, and does not redirect. */
export class ForbiddenRoute extends Error {
  readonly lacking: readonly Permission[]
  constructor(lacking: readonly Permission[]) {
    super(`Needs ${lacking.join(', ')}`)
    this.name = 'Refused'
    this.lacking = lacking
  }
}

/** The organization could not be found out or asked for; Try again stands on the page. */
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

/** Until somebody is signed in there is no page; auth's own pages stand instead. */
export const enterSession = async ({ context: { system } }: Pick<Visit, 'context'>): Promise<void> => {
  await waitFor(system.auth, (snapshot) => snapshot.hasTag('signedIn'))
}

const settled = async ({ organization }: System): Promise<Scope> => {
  const snapshot = await waitFor(organization, (one) => one.hasTag('settled'))
  if (snapshot.hasTag('failed')) throw new ScopeFailed('The organization could not be opened')
  return snapshot.context.scope
}

/** §4: the organization of the address; without one the stored one, else the first, else none. Tells only on a real visit. */
export const enterScope = async (arrival: Visit): Promise<void> => {
  const { context, preload, params } = arrival
  await enterSession(arrival)
  if (preload || params.organizationId === undefined) return
  const scope = scopeFromPath(params.organizationId)
  context.system.organization.send({ type: 'route.entered', scope })
  // A scope that was lost is left by the bridge, which ends this arrival.
  if ((await settled(context.system)) !== scope) await never()
  // Inside a project its own list counts; it is asked where the project is entered.
  if (params.projectId === undefined) await requirePermissions(arrival)
}

/** The scope that a page without an organization in its path belongs to. */
export const currentScope = async (arrival: Pick<Visit, 'context'>): Promise<Scope> => {
  await enterSession(arrival)
  arrival.context.system.organization.send({ type: 'route.entered', scope: undefined })
  return settled(arrival.context.system)
}

/** §6: every permission that a place and the places around it name, inside a project by the list that counts there. The one guard. */
export const requirePermissions = async ({ context: { api, queryClient }, params, matches }: Visit): Promise<void> => {
  const needs = [...new Set(matches.flatMap((match) => match.staticData?.needs ?? []))]
  if (needs.length === 0 || params.organizationId === undefined) return
  const query = permissionsQuery(api, scopeFromPath(params.organizationId), params.projectId ?? null)
  const { grants } = await queryClient.ensureQueryData(query)
  const lacking = missing(grants, needs)
  if (lacking.length > 0) throw new ForbiddenRoute(lacking)
}
