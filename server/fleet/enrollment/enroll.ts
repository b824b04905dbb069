import type { EnrollBody } from '../../../contract/device/api'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import { isEnrollmentProof } from '../../../contract/device/enrollment-proof'
import type { Tx } from '../../core/database/tx'
import type { EnrollmentActor } from '../../core/http/actors'
import { refuse, refuseField } from '../../core/http/refuse'
import { findUnseen } from '../../core/unseen'
import { getProjectPlan } from '../../accounts/projects/plan-and-settings.repository'
import { hashOfAttributes } from '../devices/attributes'
import { requireDeviceCapacity } from '../devices/capacity'
import { issueDeviceToken, revokeDeviceTokens } from '../devices/device-token.repository'
import { emitEnrolled } from '../devices/events'
import { requireKnownModel } from '../devices/models'
import { pollingColumns } from '../devices/polling'
import { toEnrolledColumns } from '../devices/reported'
import { type DeviceRow, insertDevice, isDeviceNameTaken, lockDeviceBySerial, updateDevice } from '../devices/repository'
import { insertDeviceTags } from '../devices/tags.repository'
import { unsharedToken } from '../devices/tokens/token-sharing'
import { forgetBootOfLog } from '../logs/repository'
import { type EnrollmentTokenRow, lockEnrollmentToken, updateEnrollmentToken } from './repository'
import { stateOf } from './state'

export type Enrolled = { device: DeviceRow; token: string; pollingIntervalS: number; known: boolean }

/**
 * The requested name if it is free, otherwise with its serial number, and with a number where that is taken too: serial numbers may
 * differ in their case only, which names may not. Without a name, or with one that people could not read, its serial number is.
 */
export const freeName = async (
  tx: Tx,
  projectId: string,
  { name, serial_number }: Pick<EnrollBody, 'name' | 'serial_number'>,
): Promise<string> => {
  const isReadable = name !== undefined && findUnseen(name) === undefined
  const wish = isReadable ? name : serial_number.slice(0, 100)
  if (!(await isDeviceNameTaken(tx, projectId, wish))) return wish
  const isSerial = wish.toLowerCase() === serial_number.slice(0, 100).toLowerCase()
  const long = isSerial ? wish.slice(0, 90) : `${wish.slice(0, 40)} ${serial_number.slice(0, 50)}`
  const numbered = (n: number) => (n === 1 ? long : `${long} (${n})`)
  let n = isSerial ? 2 : 1
  while (await isDeviceNameTaken(tx, projectId, numbered(n))) n += 1
  return numbered(n)
}

const factsOf = async (body: EnrollBody) => ({
  ...toEnrolledColumns(body),
  hardwareModel: body.hardware_model,
  ...(body.attributes && { attributes: body.attributes, attributesHash: await hashOfAttributes(body.attributes) }),
})

/** The project's setting applies to all; a token may only be stricter. So disabling it also applies to earlier tokens. */
export const isLetIn = ({ autoAccept }: EnrollmentTokenRow, { auto_accept_devices }: ProjectSettings) =>
  autoAccept && auto_accept_devices

const noPolling = { pollingIntervalS: null, nextPollingS: null, configuredPollingS: null, enrolledAt: null }

const enrollNew = async (
  tx: Tx,
  token: EnrollmentTokenRow,
  settings: ProjectSettings,
  body: EnrollBody,
  now: Date,
): Promise<DeviceRow> => {
  const { projectId } = token
  if (stateOf(token, now) === 'used_up') return refuse(403, 'token_used_up', { message: 'This enrollment token is used up' })
  await requireDeviceCapacity(tx, projectId, await getProjectPlan(tx, projectId))
  const row = await insertDevice(
    tx,
    {
      ...(await factsOf(body)),
      projectId,
      name: await freeName(tx, projectId, body),
      serialNumber: body.serial_number,
      lifecycle: isLetIn(token, settings) ? 'active' : 'pending',
      enrollment: token.kind,
      publicKey: body.public_key ?? null,
      provedMs: body.proof?.issued_ms ?? 0,
      ...pollingColumns(noPolling, body.polling_interval_s, settings.polling_interval_s),
      enrolledAt: now,
    },
    now,
  )
  await insertDeviceTags(tx, { projectId, deviceId: row.id }, token.defaultTags)
  await updateEnrollmentToken(tx, token.id, { uses: token.uses + 1 }, now)
  await emitEnrolled(tx, row, now)
  return row
}

/** Whether this is the same device: its key made the signature, later than any earlier proof. */
const proves = async ({ publicKey, provedMs }: DeviceRow, { serial_number, proof }: EnrollBody) =>
  publicKey !== null &&
  proof !== undefined &&
  proof.issued_ms > provedMs &&
  (await isEnrollmentProof(publicKey, serial_number, proof))

const enrollAgain = async (
  tx: Tx,
  known: DeviceRow,
  settings: ProjectSettings,
  body: EnrollBody,
  now: Date,
): Promise<DeviceRow> => {
  if (known.lifecycle === 'decommissioned')
    return refuse(403, 'decommissioned', { message: 'A device with this serial number was decommissioned' })
  if (known.lifecycle === 'rejected') return refuse(403, 'rejected', { message: 'A device with this serial number was rejected' })
  if (!(await proves(known, body))) return refuse(409, 'serial_exists', { message: 'Another device has this serial number' })
  // The previous holder of the serial number loses its tokens, and the counters of the device start again.
  await revokeDeviceTokens(tx, known.id)
  await forgetBootOfLog(tx, known.id)
  return updateDevice(
    tx,
    known.id,
    {
      ...(await factsOf(body)),
      ...pollingColumns(known, body.polling_interval_s, settings.polling_interval_s),
      ...unsharedToken,
      provedMs: body.proof?.issued_ms ?? known.provedMs,
      eventSequence: 0,
      enrolledAt: now,
    },
    now,
  )
}

/** Enrolls a device by an enrollment token: a new one within the token's uses and the plan, a known one by proof. */
export const enrollDevice = async (
  tx: Tx,
  { id: tokenId, settings }: EnrollmentActor,
  body: EnrollBody,
  now: Date,
): Promise<Enrolled> => {
  // The lock makes enrollments with one token run one after another: `uses` never exceeds `max_uses`.
  const token = await lockEnrollmentToken(tx, tokenId)
  if (!token) return refuse(401, 'unauthenticated')
  if (stateOf(token, now) === 'revoked' || stateOf(token, now) === 'expired')
    return refuse(403, 'token_expired', { message: 'This enrollment token is no longer valid' })
  if (token.hardwareModel !== null && token.hardwareModel !== body.hardware_model)
    refuseField('hardware_model', 'mismatch', `This enrollment token is for ${token.hardwareModel}`)
  requireKnownModel(settings, body.hardware_model)
  const known = await lockDeviceBySerial(tx, token.projectId, body.serial_number)
  const device = known ? await enrollAgain(tx, known, settings, body, now) : await enrollNew(tx, token, settings, body, now)
  return {
    device,
    token: await issueDeviceToken(tx, { projectId: device.projectId, deviceId: device.id }, now),
    pollingIntervalS: device.pollingIntervalS ?? settings.polling_interval_s,
    known: known !== undefined,
  }
}
