import type { FastifyRequest } from 'fastify'
import { controllerIdForm } from '../../contract/ddi/api'
import { artifact, root } from '../../contract/ddi/endpoints'
import type { Tx } from '../core/database/tx'
import type { DeviceActor, EnrollmentActor, FindController } from '../core/http/actors'
import type { Api } from '../core/http/api'
import { notFound, refuse } from '../core/http/refuse'
import { hashOf, hashOfImported, isToken } from '../core/tokens/token'
import { requireLifecycle } from '../fleet/enrollment/authenticate'
import { stateOf } from '../fleet/enrollment/state'
import { findDeviceToken } from '../fleet/enrollment/token-lookup.repository'
import { findMemberByAuthority, findMemberByToken, type Member } from './member-lookup.repository'
import { createProxyReader } from './proxies'
import { refuseState } from './register'
import { createShortMemory } from './short-memory'

type Path = { tenant: string; controllerId: string }
type Caller = DeviceActor | EnrollmentActor
type Credential = { scheme: 'TargetToken' | 'GatewayToken'; secret: string }

const readCredential = ({ headers: { authorization } }: FastifyRequest): Credential | undefined => {
  const [, scheme, secret] = /^(TargetToken|GatewayToken) ([\x21-\x7e]{1,512})$/.exec(authorization ?? '') ?? []
  return secret === undefined ? undefined : { scheme: scheme === 'TargetToken' ? scheme : 'GatewayToken', secret }
}

const projectIdForm = /^[0-9A-HJKMNP-TV-Z]{26}$/

// A word that is no id of a project is the tenant of a former server.
const isTenantOf = (tenant: string, ...projectIds: readonly string[]) =>
  projectIds.includes(tenant) || !projectIdForm.test(tenant)

const findByDeviceToken = async (tx: Tx, tokenHash: string, path: Path, now: Date): Promise<Caller | null> => {
  const found = await findDeviceToken(tx, tokenHash)
  if (!found || found.deletedAt !== null || found.serialNumber !== path.controllerId || found.protocol !== 'ddi') return null
  const { token, settings, auditChainId, name, lifecycle } = found
  // A client keeps the address by which it was set up.
  if (!isTenantOf(path.tenant, token.projectId, ...found.formerProjectIds)) return null
  requireLifecycle(lifecycle)
  if (token.expiresAt !== null && token.expiresAt <= now)
    refuse(403, 'token_expired', { message: 'This device token was replaced' })
  return { kind: 'device', id: token.deviceId, projectId: token.projectId, settings, auditChainId, name, tokenHash }
}

/** An authority that was revoked and listed again is another row, and brings its devices back. */
const hasRegistered = ({ token, gatewayTokenId, authority }: Member) =>
  gatewayTokenId === token.id || (authority !== null && authority === token.authority)

/** A device of a group: one that its token or authority has registered, or one that is not known yet. */
const memberToCaller = (member: Member, tokenHash: string, now: Date): Caller | null => {
  const { token, settings, auditChainId, device, hasOwnToken } = member
  const { projectId } = token
  const state = stateOf(token, now)
  if (device && (!hasRegistered(member) || device.protocol !== 'ddi' || hasOwnToken)) return null
  // Expiry and uses end registration only.
  if (state === 'revoked' || (!device && state !== 'active')) return refuseState(token, state)
  if (device) {
    requireLifecycle(device.lifecycle)
    return { kind: 'device', id: device.id, projectId, settings, auditChainId, name: device.name, tokenHash }
  }
  if (token.kind !== 'group' || token.hardwareModel === null)
    return refuse(403, 'token_without_model', { message: 'This gateway token is not for one hardware model' })
  return { kind: 'enrollment', id: token.id, projectId, settings, auditChainId, name: token.name }
}

const findByGatewayToken = async (tx: Tx, tokenHash: string, path: Path, now: Date): Promise<Caller | null> => {
  const found = await findMemberByToken(tx, tokenHash, path.controllerId, now)
  return found && isTenantOf(path.tenant, found.token.projectId) ? memberToCaller(found, tokenHash, now) : null
}

/**
 * The certificate of an authority is no secret, so any project can list it: the tenant must name the project, or others could
 * take its devices.
 */
const findByAuthority = async (tx: Tx, authority: string, { tenant, controllerId }: Path, now: Date): Promise<Caller | null> => {
  if (!projectIdForm.test(tenant)) return null
  const found = await findMemberByAuthority(tx, tenant, authority, controllerId, now)
  return found ? memberToCaller(found, authority, now) : null
}

type Search = { kind: 'device' | 'enrollment'; tokenHash: string; find: (tx: Tx, now: Date) => Promise<Caller | null> }

const searchByToken = ({ scheme, secret }: Credential, path: Path): Search | undefined => {
  if (scheme === 'TargetToken') {
    const isOurs = isToken('dvc', secret) || isToken('dvs', secret)
    const tokenHash = isOurs ? hashOf(secret) : hashOfImported(path.controllerId, secret)
    return { kind: 'device', tokenHash, find: (tx, now) => findByDeviceToken(tx, tokenHash, path, now) }
  }
  if (!isToken('enr', secret) && !isToken('ens', secret)) return undefined
  const tokenHash = hashOf(secret)
  return { kind: 'enrollment', tokenHash, find: (tx, now) => findByGatewayToken(tx, tokenHash, path, now) }
}

const isOfFile = ({ routeOptions }: FastifyRequest) => routeOptions.url === artifact.path

/**
 * Authenticates DDI clients, for the device that the path names: by its token, by one of its group, or by a certificate that a
 * trusted proxy has verified.
 */
export const createControllerFinder = ({ deps, lookUp }: Pick<Api, 'deps' | 'lookUp'>): FindController => {
  const most = () => deps.config.limits.controllerFailuresPerMinute
  const remembered = createShortMemory<Caller | null>((caller) => caller?.kind === 'device')
  const readVerified = createProxyReader(deps.config.ddiTrustedProxies)
  const searchFor = (request: FastifyRequest, path: Path): Search | undefined => {
    if (request.headers.authorization !== undefined) {
      const credential = readCredential(request)
      return credential && searchByToken(credential, path)
    }
    const verified = readVerified(request)
    if (!verified || verified.controllerId !== path.controllerId) return undefined
    const { authority } = verified
    return { kind: 'enrollment', tokenHash: authority, find: (tx, now) => findByAuthority(tx, authority, path, now) }
  }
  return async (request) => {
    // Parameters of a route are strings.
    const { tenant = '', controllerId = '', actionId = '' } = request.params as Partial<Path> & { actionId?: string }
    if (!controllerIdForm.test(controllerId)) return null
    const search = searchFor(request, { tenant, controllerId })
    if (!search) return null
    const { kind, tokenHash } = search
    const find = () => search.find(deps.db, deps.clock())
    const findCaller = () => lookUp({ kind, ip: request.ip, tokenHash, find, most: most() })
    // By its action: a device that was deleted and has registered itself again is another one, and has other actions.
    const key = [tokenHash, tenant, controllerId, actionId].join('\n')
    const caller = await (isOfFile(request) ? remembered(key, findCaller) : findCaller())
    // Only a poll registers a device.
    return caller?.kind === 'enrollment' && request.routeOptions.url !== root.path ? notFound() : caller
  }
}
