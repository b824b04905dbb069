import { actionIdForm, artifactPathForm, controllerIdForm, tenantForm } from '../../../contract/ddi/api'
import type { Endpoint, ScopeSource } from '../../../contract/core/endpoint'
import { missing, type Permission } from '../../../contract/core/permissions'
import type { Actor } from './actors'
import type { Api } from './api'
import { deniedTarget } from './denied'
import type { RequestScope } from './scope'
import { notFound, refuse } from './refuse'

// T-31: a value without the shape of an id never reaches the database.
const shapes: Record<string, RegExp> = {
  organizationId: /^org_[a-z0-9]{12}$/,
  memberId: /^(self|[0-9A-HJKMNP-TV-Z]{26})$/,
  inviteToken: /^[\w-]{43}$/,
  avatarKey: /^[\w-]{43}$/,
  interstitialId: /^[A-Z][A-Z0-9_]{0,63}$/,
  tenant: tenantForm,
  controllerId: controllerIdForm,
  actionId: actionIdForm,
  artifactName: artifactPathForm,
  fileName: /^[a-z][a-z0-9-]{0,40}\.mjs(\.sig)?$/,
}
const ulid = /^[0-9A-HJKMNP-TV-Z]{26}$/

export const checkParams = (params: Record<string, string>): void => {
  for (const [name, value] of Object.entries(params)) if (!(shapes[name] ?? ulid).test(value)) notFound()
}

type Where = { place: RequestScope; scope: ScopeSource; params: Record<string, string> }

const demand = (where: Where, needs: readonly Permission[]) => {
  const [first] = missing(where.place.grants, needs)
  if (first !== undefined) refuse(403, 'forbidden', { requiredPermission: first, denied: deniedTarget(where) })
}

/**
 * Decides by the contract's `needs`, with the same rule as the console. 404 for what the caller may not know, 403 for what they
 * may see but not do. Null if the endpoint has no scope.
 */
export const authorize = async (
  api: Api,
  { needs }: Endpoint,
  actor: Actor,
  params: Record<string, string>,
): Promise<RequestScope | null> => {
  if (actor.kind !== 'user' || (needs.kind !== 'permission' && needs.kind !== 'self')) return null
  const { resolveScope, loaders } = api.rights
  const place = await resolveScope({ loaders, tx: api.deps.db, scope: needs.scope, params, user: actor })
  const where = { place, scope: needs.scope, params }
  if (needs.kind === 'permission') {
    demand(where, needs.all)
    return place
  }
  const { memberId } = params
  const own = needs.scope.from === 'object' ? place.ownerId === actor.id : memberId === 'self' || memberId === actor.id
  if (own) {
    demand(where, needs.and ?? [])
    return place
  }
  if (needs.or === undefined) return notFound()
  demand(where, needs.or)
  return place
}
