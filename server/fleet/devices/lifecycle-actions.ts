import { eq } from 'drizzle-orm'
import type { acceptDevice } from '../../../contract/device-lifecycle'
import type { Device } from '../../../contract/devices'
import { devices } from '../schema/devices'
import type { Call } from '../../core/http/call'
import { rowUpdate } from '../../core/database/row'
import { notFound, refuse } from '../../core/http/refuse'
import { daysBefore } from '../../core/days'
import { requireDeviceCapacity } from './capacity'
import { nextLifecycle, type LifecycleAction } from './lifecycle'
import { deviceById, rowById } from './repository'

/** The part of a call that all changes of a device need. */
export type Change = Pick<Call<typeof acceptDevice>, 'tx' | 'params' | 'now' | 'audit' | 'project'>

export const target = ({ id, name }: Pick<Device, 'id' | 'name'>) => ({ kind: 'device', id, name })

export const changeLifecycle = async ({ tx, params, now, audit }: Change, step: LifecycleAction): Promise<Device> => {
  const before = await rowById(tx, params.deviceId, { lock: true })
  const lifecycle = nextLifecycle(before.lifecycle, step)
  if (lifecycle === null)
    return refuse(409, 'conflict', {
      message: `Not possible with a device that is ${before.lifecycle}`,
      about: { lifecycle: before.lifecycle },
    })
  await tx
    .update(devices)
    .set({ lifecycle, ...rowUpdate(now) })
    .where(eq(devices.id, before.id))
  audit({ target: target(before), changes: [{ field: 'lifecycle', before: before.lifecycle, after: lifecycle }] })
  return deviceById(tx, before.id, now)
}

/** 409 without a quarantine: there is nothing to clear. */
export const clearQuarantine = async ({ tx, params, now, audit }: Change): Promise<Device> => {
  const before = await rowById(tx, params.deviceId, { lock: true })
  if (before.quarantineUntil === null) return refuse(409, 'conflict', { message: 'The device is not in quarantine' })
  await tx
    .update(devices)
    .set({ quarantineUntil: null, quarantineReason: null, quarantineReleaseId: null, ...rowUpdate(now) })
    .where(eq(devices.id, before.id))
  audit({ target: target(before), changes: [{ field: 'quarantine', before: before.quarantineReason, after: null }] })
  return deviceById(tx, before.id, now)
}

export const keptDays = 30

/** A deleted device is restored unchanged; a rejected device waits for acceptance again. */
export const restore = async (change: Change): Promise<Device> => {
  const { tx, params, now, audit, project } = change
  const [before] = await tx.select().from(devices).where(eq(devices.id, params.deviceId)).for('update')
  if (!before) return notFound()
  if (before.deletedAt === null && before.lifecycle !== 'rejected') return notFound()
  if (before.deletedAt !== null && before.deletedAt < daysBefore(now, keptDays)) return notFound()
  await requireDeviceCapacity(tx, project.id, project.plan)
  if (before.deletedAt === null) return changeLifecycle(change, 'restore')
  await tx
    .update(devices)
    .set({ deletedAt: null, ...rowUpdate(now) })
    .where(eq(devices.id, before.id))
  audit({ target: target(before) })
  return deviceById(tx, before.id, now)
}
