import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { object } from 'superstruct'
import { type Device, DeviceChange } from '../../../contract/devices'
import { updateDeviceMutation } from '../../api/mutations/devices'
import { projectQuery } from '../../api/queries/projects'
import { formatDuration } from '../../lib/durations'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import * as Dialog from '../../ui/dialog'
import { SegmentField } from '../../ui/form/choice-field'
import { SecondsField } from '../../ui/form/seconds-field'

const schema = object({ polling_interval_s: DeviceChange.schema.polling_interval_s })
/** For a person who is waiting for the device: the allowed minimum. */
const fastS = 30

const read = (data: FormData): unknown => {
  const typed = data.get('polling_interval_s')
  return { polling_interval_s: data.get('owner') === 'project' ? null : typed === '' ? undefined : Number(typed) }
}

/** Sets how often a device checks in: as its project does, or at its own interval. */
export const PollingDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, root } = useModal('polling_interval', onClose)
  const { data: project } = useSuspenseQuery(projectQuery(api, device.project_id))
  const { mutateAsync } = useMutation(updateDeviceMutation(api))
  const [owner, setOwner] = useState<'project' | 'device'>('device')
  const form = useForm({ schema, read, save: (body) => mutateAsync({ device, body }), onSaved: close })
  const asked = device.configured_polling_interval_s
  const file =
    asked === null ? '' : ` Its device.json sets ${formatDuration(asked)}; a change there replaces the interval set here.`
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`How often ${device.name} checks in`}
        description={`A new interval applies from the next check-in.${file}`}
      >
        <BoundForm form={form} dense inDialog onCancel={close}>
          <SegmentField
            name="owner"
            label="Interval"
            items={[
              { value: 'device', label: 'Own interval' },
              { value: 'project', label: `Project interval: ${formatDuration(project.settings.polling_interval_s)}` },
            ]}
            value={owner}
            onValueChange={setOwner}
          />
          {owner === 'device' && (
            <SecondsField
              {...form.field('polling_interval_s')}
              label="Polling interval"
              required
              autoFocus
              defaultValue={String(device.polling_interval_s ?? fastS)}
              hint="Between 30 seconds and 7 days."
            />
          )}
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
