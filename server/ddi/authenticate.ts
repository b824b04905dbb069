import type { FastifyRequest } from 'fastify'
import { controllerIdForm } from '../../contract/ddi/api'
import { artifact, root } from '../../contract/ddi/endpoints'
import type { Tx } from '../core/database/tx'
import type { DeviceActor, EnrollmentActor, FindController } from '../core/http/actors'
import type { Api } from '../core/http/api'
import { notFound, refuse } from '../core/http/refuse'
import { hashOf, hashOfImported, isToken } from '../core/tokens/token'
import { hasOwnToken } from '../fleet/devices/device-token.repository'
import { requireLifecycle } from '../fleet/enrollment/authenticate'
import { stateOf } from '../fleet/enrollment/state'
import { findDeviceToken, findEnrollmentToken } from '../fleet/enrollment/token-lookup.repository'
import { findController } from './devices.repository'
import { createShortMemory } from './short-memory'

type Path = { tenant: string; controllerId: string }
type Caller = DeviceActor | EnrollmentActor
type Credential = { scheme: 'TargetToken' | 'GatewayToken'; secret: string }

const readCredential = ({ headers: { authorization } }: FastifyRequest): Credential | undefined => {
  const [, scheme, secret] = /^(TargetToken|GatewayToken) ([\x21-\x7e]{1,512})$/.exec(authorization ?? '') ?? []
  return secret === undefined ? undefined : { scheme: scheme === 'TargetToken' ? scheme : 'GatewayToken', secret }
}

// A word that is no id of a project is the tenant of a former server.
const isTenantOf = (tenant: string, ...projectIds: readonly string[]) =>
  projectIds.includes(tenant) || !/^[0-9A-HJKMNP-TV-Z]{26}$/.test(tenant)

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

/** A token of a group of devices, for one that it has registered, or for one that is not known yet. */
const findByGatewayToken = async (tx: Tx, tokenHash: string, path: Path, now: Date): Promise<Caller | null> => {
  const found = await findEnrollmentToken(tx, tokenHash)
  if (!found || !isTenantOf(path.tenant, found.token.projectId)) return null
  const { token, settings, auditChainId } = found
  const { projectId } = token
  const state = stateOf(token, now)
  const device = await findController(tx, projectId, path.controllerId)
  if (device && (device.gatewayTokenId !== token.id || device.protocol !== 'ddi' || (await hasOwnToken(tx, device.id, now))))
    return null
  // Expiry and uses end registration only.
  if (state === 'revoked' || (!device && state !== 'active'))
    return refuse(403, `token_${state}`, { message: `This gateway token is ${state.replace('_', ' ')}` })
  if (device) {
    requireLifecycle(device.lifecycle)
    return { kind: 'device', id: device.id, projectId, settings, auditChainId, name: device.name, tokenHash }
  }
  if (token.kind !== 'group' || token.hardwareModel === null)
    return refuse(403, 'token_without_model', { message: 'This gateway token is not for one hardware model' })
  return { kind: 'enrollment', id: token.id, projectId, settings, auditChainId, name: token.name }
}

const isOfFile = ({ routeOptions }: FastifyRequest) => routeOptions.url === artifact.path

/** Authenticates DDI clients: by the token of a device, or by one of its group, for the device that the path names. */
export const controllerFinder = (api: Api): FindController => {
  const { deps } = api
  const most = () => deps.config.limits.controllerFailuresPerMinute
  const remembered = createShortMemory<Caller | null>((caller) => caller?.kind === 'device')
  return async (request) => {
    const { tenant = '', controllerId = '' } = request.params as Partial<Path> // Parameters of a route are strings.
    const credential = readCredential(request)
    if (!credential || !controllerIdForm.test(controllerId)) return null
    const { scheme, secret } = credential
    const path = { tenant, controllerId }
    if (scheme === 'TargetToken') {
      const isOurs = isToken('dvc', secret) || isToken('dvs', secret)
      const tokenHash = isOurs ? hashOf(secret) : hashOfImported(controllerId, secret)
      const find = () => findByDeviceToken(deps.db, tokenHash, path, deps.clock())
      const lookUp = () => api.lookUp({ kind: 'device', ip: request.ip, tokenHash, find, most: most() })
      return isOfFile(request) ? remembered([tokenHash, tenant, controllerId].join('\n'), lookUp) : lookUp()
    }
    if (!isToken('enr', secret) && !isToken('ens', secret)) return null
    const tokenHash = hashOf(secret)
    const find = () => findByGatewayToken(deps.db, tokenHash, path, deps.clock())
    const lookUp = () => api.lookUp({ kind: 'enrollment', ip: request.ip, tokenHash, find, most: most() })
    const caller = await (isOfFile(request) ? remembered([tokenHash, tenant, controllerId].join('\n'), lookUp) : lookUp())
    // Only a poll registers a device.
    return caller?.kind === 'enrollment' && request.routeOptions.url !== root.path ? notFound() : caller
  }
}
