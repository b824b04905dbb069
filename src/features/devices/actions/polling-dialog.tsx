import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Infer, object } from 'superstruct'
import { type Device, DeviceChange } from '../../../../contract/fleet/devices'
import { updateDeviceMutation } from '../../../api/mutations/fleet/devices'
import { projectQuery } from '../../../api/queries/accounts/projects'
import { formatDuration } from '../../../lib/durations'
import { BoundForm } from '../../../system/form/bound-form'
import { ConflictNotice } from '../../../system/form/conflict-notice'
import { type EditConflict, useEditConflict } from '../../../system/form/edit-conflict'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { SecondsField } from '../../../ui/form/seconds-field'

const schema = object({ polling_interval_s: DeviceChange.schema.polling_interval_s })
type Interval = Infer<typeof schema>
/** For a person who is waiting for the device: the allowed minimum. */
const fastS = 30

const read = (data: FormData): unknown => {
  const typed = data.get('polling_interval_s')
  return { polling_interval_s: data.get('owner') === 'project' ? null : typed === '' ? undefined : Number(typed) }
}

const fieldsOf = ({ polling_interval_s: seconds }: Device): Interval => ({ polling_interval_s: seconds })
const labels = { polling_interval_s: 'Polling interval' }
const say = (_: string, seconds: unknown) => (typeof seconds === 'number' ? formatDuration(seconds) : 'project interval')

const IntervalForm = ({
  edit,
  close,
  cancel,
}: {
  edit: EditConflict<Device, Interval>
  close: () => void
  cancel: () => void
}) => {
  const { api } = useSystem()
  const { base, conflict } = edit
  const { data: project } = useSuspenseQuery(projectQuery(api, base.project_id))
  const [owner, setOwner] = useState<'project' | 'device'>('device')
  const form = useForm({ schema, read, save: (body) => edit.save(body), onSaved: close })
  return (
    <BoundForm
      form={form}
      dense
      inDialog
      onCancel={cancel}
      conflict={
        conflict && (
          <ConflictNotice
            conflict={conflict}
            labels={labels}
            say={say}
            onKeepMine={edit.keepMine}
            onTakeTheirs={edit.takeTheirs}
          />
        )
      }
    >
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
          defaultValue={String(base.polling_interval_s ?? fastS)}
          hint="Between 30 seconds and 7 days."
        />
      )}
    </BoundForm>
  )
}

/** Sets how often a device checks in: as its project does, or at its own interval. */
export const PollingDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('polling_interval', onClose)
  const { mutateAsync } = useMutation(updateDeviceMutation(api))
  // The page reads the device again under the open dialog.
  const edit = useEditConflict<Device, Interval>(device, fieldsOf, (object, body) => mutateAsync({ device: object, body }))
  const asked = device.configured_polling_interval_s
  const file =
    asked === null ? '' : ` Its device.json sets ${formatDuration(asked)}; a change there replaces the interval set here.`
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`How often ${device.name} checks in`}
        description={`A new interval applies from the next check-in.${file}`}
      >
        <IntervalForm key={edit.base.revision} edit={edit} close={close} cancel={cancel} />
      </Dialog.Window>
    </Dialog.Root>
  )
}
