import { lifetimes } from '../../../core/lifetimes'
import { controllerIdForm } from '../../../../contract/ddi/api'
import type { Protocol } from '../../../../contract/ddi/confirm'
import type { createDevice, TokenForm, updateDevice } from '../../../../contract/fleet/devices'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { isTimeZone } from '../../../../contract/core/time-zone'
import { refuseField } from '../../../core/http/refuse'
import { daysAfter } from '../../../core/days'
import type { DeviceChanges, DeviceRow, NewDeviceRow } from '../repository'
import { changedPolling } from '../polling'
import { statesOf } from '../state/update-group'

type Body = BodyOf<typeof updateDevice>

/** The end of a pause; 422 for the field if it is not in the next year. */
export const requirePauseEnd = (value: string, field: string, now: Date): Date => {
  const until = new Date(value)
  if (until <= now || until > daysAfter(now, lifetimes.pauseMaxDays))
    refuseField(field, 'range', 'Choose a time in the next year')
  return until
}

/** The columns of a change; drizzle leaves out undefined ones. Tags are separate rows. */
export const columnsOf = (
  body: Body,
  { row, projectS, now }: { row: Pick<DeviceRow, 'pollingIntervalS' | 'lastSeenAt'>; projectS: number; now: Date },
): DeviceChanges => {
  if (typeof body.timezone === 'string' && !isTimeZone(body.timezone))
    refuseField('timezone', 'timezone', 'Time zone must be a name such as Europe/Berlin')
  return {
    name: body.name,
    protocol: body.protocol,
    metadata: body.metadata,
    notes: body.notes,
    updatesEnabled: body.updates_enabled,
    updatesPausedUntil:
      body.updates_paused_until == null
        ? body.updates_paused_until
        : requirePauseEnd(body.updates_paused_until, 'updates_paused_until', now),
    ...(body.polling_interval_s !== undefined && changedPolling(row, body.polling_interval_s, projectS)),
    timezone: body.timezone,
  }
}

/** DDI knows a device by its serial number only. */
export const requireControllerId = (
  { protocol, serialNumber }: { protocol: Protocol | undefined; serialNumber: string | null | undefined },
  field: 'serial_number' | 'protocol',
): void => {
  if (protocol === 'ddi' && (serialNumber == null || !controllerIdForm.test(serialNumber)))
    refuseField(field, 'controller_id', 'A hawkBit client needs its controller id as the serial number, without / ? # %')
}

/** The other client would know nothing of a running update, and its end would never be reported. */
export const requireSameClient = (
  { protocol, updateState }: Pick<DeviceRow, 'protocol' | 'updateState'>,
  asked: Protocol | undefined,
): void => {
  if (asked !== undefined && asked !== protocol && updateState !== null && statesOf('in_progress').includes(updateState))
    refuseField('protocol', 'updating', 'The device is updating: change its client when the update has ended')
}

/** Our agent takes no short token. */
export const requireTokenForm = (field: string, form: TokenForm | undefined, protocol: Protocol | undefined): void => {
  if (form === 'short' && protocol !== 'ddi') refuseField(field, 'protocol', 'Only a device that uses DDI takes a short token')
}

/** The columns of a device that a person creates. */
export const newColumnsOf = (body: BodyOf<typeof createDevice>): Omit<NewDeviceRow, 'projectId'> => ({
  name: body.name,
  serialNumber: body.serial_number ?? null,
  hardwareModel: body.hardware_model,
  protocol: body.protocol ?? 'teasel',
  metadata: body.metadata ?? {},
  lifecycle: 'active',
  enrollment: 'pre_enrolled',
})

export const changeable = [
  'name',
  'protocol',
  'tags',
  'metadata',
  'notes',
  'updates_enabled',
  'updates_paused_until',
  'polling_interval_s',
  'timezone',
] as const
