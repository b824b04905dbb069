import { generatedTokenLimitsFor } from '../../../contract/fleet/enrollment-tokens'
import * as contract from '../../../contract/fleet/configs'
import { createClientConfig } from '../../../contract/fleet/client-configs'
import { configHash, readConfig } from '../../../contract/device/config'
import { configOf, type Identity, warningsOf } from '../../../contract/fleet/generated-config'
import { clientOf } from '../../../contract/fleet/hardware-models'
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
import { getDevice } from '../devices/repository'
import { clientFiles, clientWarnings } from './client-files'
import { trustedKeys } from './trusted-keys'

type Form = contract.DeviceConfigForm
type Generate = Call<typeof contract.createDeviceConfig>
/** `token`: the enrollment token that was created for the configuration, if one was. */
type Made = { identity: Identity; token: EnrollmentTokenRow | null }

const createGroupToken = (
  {
    tx,
    project,
    body,
    now,
    grants,
  }: Pick<Generate, 'tx' | 'project' | 'now' | 'grants'> & {
    body: { name: string; hardware_model: string }
  },
  form: 'long' | 'short' = 'long',
) => {
  const { maxUses, days } = generatedTokenLimitsFor(grants)
  const facts = {
    name: Array.from(body.name).slice(0, 64).join(''),
    hardware_model: body.hardware_model,
    max_uses: maxUses,
    expires_at: daysAfter(now, days).toISOString(),
    form,
  }
  return createEnrollmentToken({ tx, project, now }, facts)
}

const groupIdentity = async (call: Generate): Promise<Made> => {
  const { row, token } = await createGroupToken(call)
  return { identity: { enrollment_token: token }, token: row }
}

/** The secret of a client's files and the controller id that it belongs to; `row`: the enrollment token that was created. */
const clientIdentity = async (call: Call<typeof createClientConfig>) => {
  const { tx, project, body } = call
  if (body.enrollment === 'group') {
    const { row, token } = await createGroupToken(call, body.client === 'zephyr' ? 'short' : 'long')
    return { token, controllerId: null, row }
  }
  const { device_id = '', device_token = '' } = body
  if (!(await isTokenOfDevice(tx, { projectId: project.id, deviceId: device_id }, device_token)))
    return refuseField('device_token', 'mismatch', 'This is not the token of that device')
  const device = await getDevice(tx, device_id)
  if (device.protocol !== 'ddi' || device.serialNumber === null)
    return refuseField('device_id', 'protocol', 'This device runs the agent, not a hawkBit client')
  if (device.hardwareModel !== body.hardware_model)
    return refuseField('hardware_model', 'mismatch', `The device has the model ${device.hardwareModel}`)
  return { token: device_token, controllerId: device.serialNumber, row: null }
}

const limitsOf = (row: EnrollmentTokenRow | null) =>
  row?.expiresAt ? { max_uses: row.maxUses, expires_at: formatTimestamp(row.expiresAt) } : null

/** Tokens of the generator are in the audit log like those that were created directly. */
const auditToken = (
  {
    tx,
    given: { actor, place, request, now },
  }: Pick<Generate, 'tx'> & { given: Pick<Generate['given'], 'actor' | 'place' | 'request' | 'now'> },
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
      enrollment_limits: limitsOf(token),
    }
  })

  route(api, createClientConfig, async (call) => {
    const { project, body, audit } = call
    requireKnownModel(project.settings, body.hardware_model)
    const { token, controllerId, row } = await clientIdentity(call)
    const { kind, version_attribute } = clientOf(project.settings.hardware_models, body.hardware_model)
    const facts = {
      server: body.server_url.replace(/\/$/, ''),
      tenant: body.tenant ?? 'DEFAULT',
      controllerId,
      token,
      hardwareModel: body.hardware_model,
      versionAttribute: version_attribute,
    }
    if (row) await auditToken(call, row)
    audit({ target: { kind: 'device_config', id: row?.id ?? body.device_id ?? project.id, name: body.name } })
    return {
      files: clientFiles(body.client, facts, body.enrollment === 'group'),
      warnings: clientWarnings(body, facts, kind),
      enrollment_token_id: row?.id ?? null,
      enrollment_limits: limitsOf(row),
    }
  })

  route(api, contract.checkDeviceConfig, async ({ body }) => {
    const read = await readConfig(body.config)
    if ('config' in read) return { findings: warningsOf(read.config) }
    return { findings: read.problems.map(({ field, message }) => ({ path: field, level: 'error' as const, text: message })) }
  })
}
