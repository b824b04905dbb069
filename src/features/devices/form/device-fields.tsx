import { useState } from 'react'
import { css } from 'styled-system/css'
import { controllerIdForm } from '../../../../contract/ddi/api'
import type { Protocol } from '../../../../contract/ddi/confirm'
import { isUnderWay } from '../../../../contract/device/update-events'
import type { Device } from '../../../../contract/fleet/devices'
import { product } from '../../../../contract/core/limits'
import type { Tag } from '../../../../contract/fleet/tags'
import { formatDuration } from '../../../lib/durations'
import { SegmentField } from '../../../ui/form/choice-field'
import { Pair } from '../../../ui/form/form'
import { JsonField } from '../../../ui/form/json-field'
import { SecondsField } from '../../../ui/form/seconds-field'
import { TextareaField, TextField } from '../../../ui/form/text-field'
import { ClientField } from './client-fields'
import { modeOf, updateModes } from './device-form'
import { toLocal } from '../../../lib/local-time'
import { TagsField } from './tags-field'

type Props = {
  device: Device
  tags: readonly Tag[]
  /** The project's polling interval, in seconds. */
  projectPollS: number
  field: (name: string) => { name: string; error: string | undefined }
}

const isController = ({ serial_number: number }: Device) => number !== null && controllerIdForm.test(number)
const clientHint = (device: Device, protocol: Protocol) => {
  if (protocol === 'ddi') {
    const known = `Its controller id is the serial number, ${device.serial_number ?? ''}.`
    return device.protocol === 'ddi' ? known : `${known} It authenticates with the token of this device.`
  }
  return isController(device)
    ? 'A hawkBit client of this device is refused.'
    : 'For a hawkBit client, the device needs its controller id as the serial number, without / ? # %. Add it again with one.'
}

const zones = 'time-zones'
const updates = css({ display: 'grid', gap: '16', gridTemplateColumns: { base: 'minmax(0, 1fr)', sm: 'auto minmax(0, 1fr)' } })

export const DeviceFields = ({ device, tags, projectPollS, field }: Props) => {
  const [chosen, setChosen] = useState(() => device.tags.map((tag) => tag.name))
  const [mode, setMode] = useState(modeOf(device))
  const [protocol, setProtocol] = useState(device.protocol)
  const isUpdating = device.update !== null && isUnderWay(device.update.state)
  return (
    <>
      <TextField {...field('name')} label="Name" required mono defaultValue={device.name} spellCheck={false} />
      <ClientField
        {...field('protocol')}
        value={protocol}
        onValueChange={setProtocol}
        {...(isUpdating && { only: device.protocol })}
        {...(!isController(device) && { only: product.slug })}
        hint={
          isUpdating
            ? 'The device is updating: its client can be changed when the update has ended.'
            : clientHint(device, protocol)
        }
      />
      <TagsField {...field('tags')} tags={tags} value={chosen} onValueChange={setChosen} />
      <div className={updates}>
        <SegmentField
          {...field('updates_enabled')}
          name="updates"
          label="Updates"
          items={updateModes}
          value={mode}
          onValueChange={setMode}
        />
        {mode === 'paused' && (
          <TextField
            {...field('updates_paused_until')}
            label="Until"
            required
            type="datetime-local"
            defaultValue={toLocal(device.updates_paused_until)}
            hint="In your own time zone."
          />
        )}
      </div>
      <Pair>
        <SecondsField
          {...field('polling_interval_s')}
          label="Polling interval"
          defaultValue={device.polling_interval_s ?? ''}
          placeholder={String(projectPollS)}
          hint={`Leave empty to use the project's interval, ${formatDuration(projectPollS)}.`}
        />
        <TextField
          {...field('timezone')}
          label="Time zone"
          list={zones}
          defaultValue={device.timezone ?? ''}
          placeholder="Europe/Berlin"
          hint="Update windows are read in it."
          spellCheck={false}
        />
        <datalist id={zones}>
          {Intl.supportedValuesOf('timeZone').map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </datalist>
      </Pair>
      <JsonField
        {...field('metadata')}
        label="Metadata"
        defaultValue={device.metadata}
        limit={16_384}
        hint="Your own data as a JSON object. Not sent to the device."
      />
      <TextareaField {...field('notes')} label="Notes" rows={5} defaultValue={device.notes} limit={4000} />
    </>
  )
}
