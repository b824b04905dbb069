import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { object } from 'superstruct'
import { type Device, DeviceChange } from '../../../../contract/fleet/devices'
import { updateDeviceMutation } from '../../../api/mutations/fleet/devices'
import { formatDate, parseTime } from '../../../lib/dates'
import { BoundForm } from '../../../system/form/bound-form'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { notify } from '../../../system/failure/notify'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { useSystem } from '../../../system/system'
import * as Dialog from '../../../ui/overlay/dialog'
import { SegmentField } from '../../../ui/form/choice-field'
import { TextField } from '../../../ui/form/text-field'
import { fromLocal, toLocal } from '../../../lib/local-time'
import { hoursAhead, pauseSpans, type PauseSpan } from './pause-spans'

const schema = object({ updates_paused_until: DeviceChange.schema.updates_paused_until })

const read = (data: FormData): unknown => {
  const span = data.get('span')
  const typed = data.get('updates_paused_until')
  if (span !== 'other') return { updates_paused_until: hoursAhead(Number(span)) }
  return { updates_paused_until: typeof typed === 'string' && typed !== '' ? fromLocal(typed) : undefined }
}

/** Pauses the updates of one device until a time; the notice offers to resume. */
export const PauseDialog = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('pause_updates', onClose)
  const { mutateAsync } = useMutation(updateDeviceMutation(api))
  const [span, setSpan] = useState<PauseSpan>('24')
  const form = useForm({
    schema,
    read,
    save: (body) => mutateAsync({ device, body }),
    onSaved: (paused) => {
      close()
      const until = paused.updates_paused_until
      if (until === null) return
      const resume = () => void mutateAsync({ device: paused, body: { updates_paused_until: null } }).catch(notifyFailed)
      const text = `Updates paused until ${formatDate(parseTime(until))}`
      void notify({ kind: 'success', text, action: { label: 'Undo', onClick: resume } })
    },
  })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={`Pause updates of ${device.name}`}
        description="Until then the device checks in and reports, but is offered no new update. An update that is running continues."
      >
        <BoundForm form={form} dense inDialog onCancel={cancel} submitLabel="Pause updates" submittingLabel="Pausing...">
          <SegmentField name="span" label="Pause for" items={pauseSpans} value={span} onValueChange={setSpan} />
          {span === 'other' && (
            <TextField
              {...form.field('updates_paused_until')}
              label="Until"
              required
              autoFocus
              type="datetime-local"
              defaultValue={toLocal(hoursAhead(24))}
              hint="In your own time zone."
            />
          )}
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
