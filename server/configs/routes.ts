import { and, eq, isNull } from 'drizzle-orm'
import * as contract from '../../contract/configs'
import { configHash, readConfig } from '../../contract/device/config'
import { devices, deviceTokens } from '../database/schema/devices'
import type { Tx } from '../database/tx'
import { insertToken } from '../enrollment/repository'
import type { Api } from '../http/api'
import { refuse, refuseField } from '../http/refuse'
import { route } from '../http/route'
import { daysAfter } from '../telemetry/days'
import { checkModel } from '../telemetry/models'
import { settingsOf } from '../telemetry/project'
import { hashOf } from '../tokens/token'
import { configOf, type Identity, trialError, warningsOf } from './config'
import { trustedKeys } from './keys'

type Form = contract.DeviceConfigForm
type Made = { identity: Identity; tokenId: string | null }

const tokenLife = 365

const groupIdentity = async (tx: Tx, projectId: string, { name, hardware_model }: Form, now: Date): Promise<Made> => {
  const expires_at = daysAfter(now, tokenLife).toISOString()
  const { row, token } = await insertToken(tx, projectId, { name: name.slice(0, 64), hardware_model, expires_at }, now)
  return { identity: { enrollment_token: token }, tokenId: row.id }
}

/** The device token is known to the one who made the device, and here by its hash: the form has to bring it. */
const knownIdentity = async (tx: Tx, projectId: string, { device_id, device_token }: Form): Promise<Made> => {
  if (device_id === undefined) return refuseField('device_id', 'required', 'Device is required')
  if (device_token === undefined) return refuseField('device_token', 'required', 'Device token is required')
  const [known] = await tx
    .select({ id: devices.id })
    .from(deviceTokens)
    .innerJoin(devices, eq(devices.id, deviceTokens.deviceId))
    .where(
      and(
        eq(deviceTokens.tokenHash, hashOf(device_token)),
        eq(devices.id, device_id),
        eq(devices.projectId, projectId),
        isNull(devices.deletedAt),
      ),
    )
  if (!known) return refuseField('device_token', 'mismatch', 'This is not the token of that device')
  return { identity: { device_id, device_token }, tokenId: null }
}

const fieldOf: Record<string, string> = { public_keys: 'public_key_ids', enrollment_token: 'enrollment' }

export const configRoutes = (api: Api): void => {
  route(api, contract.createDeviceConfig, async ({ tx, project, body, now, audit }) => {
    const trial = trialError(body)
    if (trial !== null) refuseField('persistent_directory', 'trial', trial)
    checkModel(await settingsOf(tx, project.id), body.hardware_model)
    const keys = await trustedKeys(tx, project.id, body.public_key_ids)
    const group = body.enrollment === 'group'
    const { identity, tokenId } = await (group ? groupIdentity(tx, project.id, body, now) : knownIdentity(tx, project.id, body))
    const read = await readConfig(configOf(body, project.id, identity, keys))
    if ('problems' in read) {
      const details = read.problems.map((problem) => ({ ...problem, field: fieldOf[problem.field] ?? problem.field }))
      return refuse(422, 'invalid', { details })
    }
    const { config } = read
    audit({ target: { kind: 'device_config', id: tokenId ?? body.device_id ?? project.id, name: body.name } })
    return { config, sha256: await configHash(config), warnings: warningsOf(config), enrollment_token_id: tokenId }
  })

  route(api, contract.checkDeviceConfig, async ({ body }) => {
    const read = await readConfig(body.config)
    if ('config' in read) return { findings: warningsOf(read.config) }
    return { findings: read.problems.map(({ field, message }) => ({ path: field, level: 'error' as const, text: message })) }
  })
}
