import type { EnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import type { Tx } from '../core/database/tx'
import type { EnrollmentActor } from '../core/http/actors'
import { refuse } from '../core/http/refuse'
import { getProjectPlan } from '../accounts/projects/plan-and-settings.repository'
import { requireDeviceCapacity } from '../fleet/devices/capacity'
import { emitEnrolled } from '../fleet/devices/events'
import { requireKnownModel } from '../fleet/devices/models'
import { type DeviceRow, insertDevice, lockDeviceBySerial } from '../fleet/devices/repository'
import { insertDeviceTags } from '../fleet/devices/tags.repository'
import { freeName, isLetIn } from '../fleet/enrollment/enroll'
import { type EnrollmentTokenRow, lockEnrollmentToken, updateEnrollmentToken } from '../fleet/enrollment/repository'
import { stateOf } from '../fleet/enrollment/state'
import { getDdiDevice, updateDdiDevice } from './devices.repository'

type Registered = { device: DeviceRow; isNew: boolean }

export const refuseState = ({ authority }: EnrollmentTokenRow, state: EnrollmentToken['state']): never =>
  refuse(403, `token_${state}`, {
    message: `This ${authority === null ? 'gateway token' : 'authority'} is ${state.replace('_', ' ')}`,
  })

/** Registers an unknown controller with a gateway token or an authority: its model, tags and limits apply. */
export const registerController = async (
  tx: Tx,
  { id: tokenId, settings }: EnrollmentActor,
  controllerId: string,
  now: Date,
): Promise<Registered> => {
  // The lock makes registrations with one token run one after another.
  const token = await lockEnrollmentToken(tx, tokenId)
  if (!token || token.hardwareModel === null) return refuse(401, 'unauthenticated')
  const { projectId, hardwareModel } = token
  const known = await lockDeviceBySerial(tx, projectId, controllerId)
  if (known) {
    // Another poll of the same device has registered it meanwhile.
    const { gatewayTokenId } = await getDdiDevice(tx, known)
    return gatewayTokenId === tokenId ? { device: known, isNew: false } : refuse(401, 'unauthenticated')
  }
  const state = stateOf(token, now)
  if (state !== 'active') return refuseState(token, state)
  requireKnownModel(settings, hardwareModel)
  await requireDeviceCapacity(tx, projectId, await getProjectPlan(tx, projectId))
  const device = await insertDevice(
    tx,
    {
      projectId,
      name: await freeName(tx, projectId, { serial_number: controllerId }),
      serialNumber: controllerId,
      hardwareModel,
      protocol: 'ddi',
      lifecycle: isLetIn(token, settings) ? 'active' : 'pending',
      enrollment: 'group',
      enrolledAt: now,
    },
    now,
  )
  await insertDeviceTags(tx, { projectId, deviceId: device.id }, token.defaultTags)
  await updateEnrollmentToken(tx, token.id, { uses: token.uses + 1 }, now)
  await emitEnrolled(tx, device, now)
  await getDdiDevice(tx, device)
  await updateDdiDevice(tx, device.id, { gatewayTokenId: tokenId })
  return { device, isNew: true }
}
