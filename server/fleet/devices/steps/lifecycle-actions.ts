import type { acceptDevice } from '../../../../contract/fleet/device-lifecycle'
import { deletedDeviceDays, type Device, unusedLifecycles } from '../../../../contract/fleet/devices'
import type { Call } from '../../../core/http/call'
import { notFound, refuse } from '../../../core/http/refuse'
import { daysBefore } from '../../../core/days'
import { deviceTarget } from '../audit-target'
import { requireDeviceCapacity } from '../capacity'
import { emitDeviceEvent } from '../events'
import { nextLifecycle, type LifecycleAction } from './lifecycle'
import { readDevice } from '../read'
import {
  type DeviceRow,
  isDeviceNameTaken,
  lockDeviceBySerial,
  lockDeviceEvenIfDeleted,
  lockDeviceForChange,
  updateDevice,
} from '../repository'

/** The part of a call that all changes of a device need. */
export type Change = Pick<Call<typeof acceptDevice>, 'tx' | 'params' | 'now' | 'audit' | 'project' | 'user'>

const eventOfAction = {
  accept: 'device.enrolled',
  restore: 'device.pending',
  decommission: 'device.decommissioned',
  reject: null,
  disable: null,
  enable: null,
} as const

export const changeLifecycle = async (
  { tx, project, params, user, now, audit }: Change,
  step: LifecycleAction,
): Promise<Device> => {
  const before = await lockDeviceForChange(tx, params.deviceId)
  const lifecycle = nextLifecycle(before.lifecycle, step)
  if (lifecycle === null)
    return refuse(409, 'conflict', {
      message: `Not possible with a device that is ${before.lifecycle}`,
      about: { lifecycle: before.lifecycle },
    })
  await updateDevice(tx, before.id, { lifecycle }, now)
  const event = eventOfAction[step]
  if (event) await emitDeviceEvent(tx, event, before, user.name, now)
  audit({ target: deviceTarget(before), changes: [{ field: 'lifecycle', before: before.lifecycle, after: lifecycle }] })
  return readDevice({ tx, project, now }, before.id)
}

/** 409 without a quarantine: there is nothing to clear. */
export const clearQuarantine = async ({ tx, project, params, now, audit }: Change): Promise<Device> => {
  const before = await lockDeviceForChange(tx, params.deviceId)
  if (before.quarantineUntil === null) return refuse(409, 'conflict', { message: 'The device is not in quarantine' })
  await updateDevice(tx, before.id, { quarantineUntil: null, quarantineReason: null, quarantineReleaseId: null }, now)
  audit({ target: deviceTarget(before), changes: [{ field: 'quarantine', before: before.quarantineReason, after: null }] })
  return readDevice({ tx, project, now }, before.id)
}

/** 409 if another device has taken the serial number or the name of a deleted one, such as its client that enrolled again. */
const requireUntaken = async (tx: Change['tx'], { projectId, serialNumber, name }: DeviceRow): Promise<void> => {
  const other = serialNumber === null ? undefined : await lockDeviceBySerial(tx, projectId, serialNumber)
  if (other)
    refuse(409, 'conflict', {
      message: `The device ${other.name} has the serial number ${serialNumber} now. Delete it to restore this one`,
    })
  if (await isDeviceNameTaken(tx, projectId, name))
    refuse(409, 'conflict', { message: `Another device is named ${name} now. Rename it to restore this one` })
}

/** A deleted device is restored unchanged; a rejected device waits for acceptance again. */
export const restore = async (change: Change): Promise<Device> => {
  const { tx, params, now, audit, project } = change
  const before = await lockDeviceEvenIfDeleted(tx, params.deviceId)
  if (before.movedToId !== null)
    refuse(409, 'conflict', { message: 'The device was moved to another project: move it back from there' })
  // Another person has restored it, or an earlier call whose answer was lost.
  if (before.deletedAt === null && before.lifecycle !== 'rejected')
    refuse(409, 'conflict', { message: `The device ${before.name} is not deleted` })
  if (before.deletedAt !== null && before.deletedAt < daysBefore(now, deletedDeviceDays)) return notFound()
  // A rejected device that is pending again counts for the plan; a deleted one counts as it did before.
  if (before.deletedAt === null || !unusedLifecycles.includes(before.lifecycle))
    await requireDeviceCapacity(tx, project.id, project.plan)
  if (before.deletedAt === null) return changeLifecycle(change, 'restore')
  await requireUntaken(tx, before)
  await updateDevice(tx, before.id, { deletedAt: null }, now)
  audit({ target: deviceTarget(before) })
  return readDevice({ tx, project, now }, before.id)
}
