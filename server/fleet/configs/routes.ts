import { generatedTokenLimitsFor } from '../../../contract/access'
import * as contract from '../../../contract/configs'
import { configHash, readConfig } from '../../../contract/device/config'
import type { Tx } from '../../core/database/tx'
import { createEnrollmentToken } from '../enrollment/create-token'
import type { EnrollmentTokenRow } from '../enrollment/repository'
import type { Api } from '../../core/http/api'
import { record } from '../../core/http/audit'
import type { Call } from '../../core/http/call'
import { refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { daysAfter } from '../../core/days'
import { isTokenOfDevice } from '../devices/device-token.repository'
import { requireKnownModel } from '../devices/models'
import { configOf, type Identity, warningsOf } from './config'
import { trustedKeys } from './trusted-keys'

type Form = contract.DeviceConfigForm
type Generate = Call<typeof contract.createDeviceConfig>
/** `token`: the enrollment token that was created for the configuration, if one was. */
type Made = { identity: Identity; token: EnrollmentTokenRow | null }

const groupIdentity = async ({ tx, project, body, now, grants }: Generate): Promise<Made> => {
  const { maxUses, days } = generatedTokenLimitsFor(grants)
  const facts = {
    name: Array.from(body.name).slice(0, 64).join(''),
    hardware_model: body.hardware_model,
    max_uses: maxUses,
    expires_at: daysAfter(now, days).toISOString(),
  }
  const { row, token } = await createEnrollmentToken({ tx, project, now }, facts)
  return { identity: { enrollment_token: token }, token: row }
}

/** Tokens of the generator are in the audit log like those that were created directly. */
const auditToken = (
  { tx, given: { actor, place, request, now } }: Generate,
  { id, name, prefix, maxUses, expiresAt }: EnrollmentTokenRow,
) =>
  record(
    tx,
    { actor, place, request, now, action: 'enrollment_token.create' },
    {
      target: { kind: 'enrollment_token', id, name },
      changes: [
        { field: 'prefix', before: null, after: prefix },
        { field: 'max_uses', before: null, after: maxUses },
        { field: 'expires_at', before: null, after: formatTimestampOrNull(expiresAt) },
      ],
      reason: 'Created by the config generator',
    },
  )

/** The server has only the hash of a device token: the form has to contain the token. */
const knownIdentity = async (tx: Tx, projectId: string, { device_id, device_token }: Form): Promise<Made> => {
  if (device_id === undefined) return refuseField('device_id', 'required', 'Device is required')
  if (device_token === undefined) return refuseField('device_token', 'required', 'Device token is required')
  if (!(await isTokenOfDevice(tx, { projectId, deviceId: device_id }, device_token)))
    return refuseField('device_token', 'mismatch', 'This is not the token of that device')
  return { identity: { device_id, device_token }, token: null }
}

const fieldOf: Record<string, string> = { public_keys: 'public_key_ids', enrollment_token: 'enrollment' }

export const configRoutes = (api: Api): void => {
  route(api, contract.createDeviceConfig, async (call) => {
    const { tx, project, body, audit } = call
    requireKnownModel(project.settings, body.hardware_model)
    const keys = await trustedKeys(tx, project.id, body.public_key_ids)
    const group = body.enrollment === 'group'
    const { identity, token } = await (group ? groupIdentity(call) : knownIdentity(tx, project.id, body))
    const read = await readConfig(configOf(body, project.id, identity, keys))
    if ('problems' in read) {
      const details = read.problems.map((problem) => ({ ...problem, field: fieldOf[problem.field] ?? problem.field }))
      return refuse(422, 'invalid', { details })
    }
    const { config } = read
    if (token) await auditToken(call, token)
    audit({ target: { kind: 'device_config', id: token?.id ?? body.device_id ?? project.id, name: body.name } })
    return {
      config,
      sha256: await configHash(config),
      warnings: warningsOf(config),
      enrollment_token_id: token?.id ?? null,
      enrollment_limits: token?.expiresAt ? { max_uses: token.maxUses, expires_at: formatTimestamp(token.expiresAt) } : null,
    }
  })

  route(api, contract.checkDeviceConfig, async ({ body }) => {
    const read = await readConfig(body.config)
    if ('config' in read) return { findings: warningsOf(read.config) }
    return { findings: read.problems.map(({ field, message }) => ({ path: field, level: 'error' as const, text: message })) }
  })
}
