import { assign, object } from 'superstruct'
import { type Device, DeviceChange, Metadata } from '../../../../contract/fleet/devices'
import { jsonObject, jsonOf } from '../../../system/form/json-value'
import { textOf } from '../../../lib/form-data'
import { fromLocal, toLocal } from '../../../lib/local-time'
import { tagNames } from './tags-field'

/** The update mode: one choice of three for two fields of the API. */
export const updateModes = [
  { value: 'on', label: 'On' },
  { value: 'paused', label: 'Paused until' },
  { value: 'off', label: 'Off' },
] as const
export type UpdateMode = (typeof updateModes)[number]['value']

export const modeOf = ({
  updates_enabled,
  updates_paused_until,
}: Pick<Device, 'updates_enabled' | 'updates_paused_until'>): UpdateMode =>
  !updates_enabled ? 'off' : updates_paused_until !== null ? 'paused' : 'on'

/** The editable fields of a device, as the body of a change. */
export const fieldsOf = (device: Device): DeviceChange => ({
  name: device.name,
  protocol: device.protocol,
  tags: device.tags.map((tag) => tag.name).toSorted(),
  metadata: device.metadata,
  notes: device.notes,
  updates_enabled: device.updates_enabled,
  updates_paused_until: device.updates_paused_until,
  polling_interval_s: device.polling_interval_s,
  timezone: device.timezone,
})

export const labels = {
  name: 'Name',
  protocol: 'Client',
  tags: 'Tags',
  metadata: 'Metadata',
  notes: 'Notes',
  updates_enabled: 'Updates',
  updates_paused_until: 'Paused until',
  polling_interval_s: 'Polling interval',
  timezone: 'Time zone',
} satisfies Record<keyof DeviceChange, string>

/** The change; its metadata is text that may be invalid JSON. */
export const DeviceForm = assign(DeviceChange, object({ metadata: jsonObject(Metadata) }))

/** The values of the controls, as the body of a change. An unchanged time keeps its seconds. */
export const readDevice =
  (before: Device) =>
  (data: FormData): unknown => {
    const mode = textOf(data, 'updates')
    const until = textOf(data, 'updates_paused_until')
    const untouched = until !== '' && until === toLocal(before.updates_paused_until)
    const interval = textOf(data, 'polling_interval_s')
    const zone = textOf(data, 'timezone')
    return {
      name: data.get('name'),
      protocol: data.get('protocol'),
      tags: tagNames(data.get('tags')).toSorted(),
      metadata: jsonOf(data.get('metadata')),
      notes: data.get('notes'),
      updates_enabled: mode !== 'off',
      updates_paused_until: mode !== 'paused' ? null : untouched ? before.updates_paused_until : fromLocal(until),
      polling_interval_s: interval === '' ? null : Number(interval),
      timezone: zone === '' ? null : zone,
    }
  }
