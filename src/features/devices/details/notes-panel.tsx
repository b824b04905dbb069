import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { object } from 'superstruct'
import { type Device, DeviceChange } from '../../../../contract/fleet/devices'
import { updateDeviceMutation } from '../../../api/mutations/fleet/devices'
import { BoundForm } from '../../../system/form/bound-form'
import { ConflictNotice } from '../../../system/form/conflict-notice'
import { type EditConflict, useEditConflict } from '../../../system/form/edit-conflict'
import { useForm } from '../../../system/form/form'
import { useRefusal } from '../../../system/scope/grants'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { TextareaField } from '../../../ui/form/text-field'
import { Icon } from '../../../ui/icon/icon'
import { Panel } from '../../../ui/layout/panel'

const schema = object({ notes: DeviceChange.schema.notes })
const labels = { notes: 'Notes' }
const notesOf = ({ notes }: Device) => ({ notes })
const text = css({ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' })
const quiet = css({ color: 'muted' })

type Notes = { notes?: string | undefined }

const NotesForm = ({ edit, onClose }: { edit: EditConflict<Device, Notes>; onClose: () => void }) => {
  const form = useForm({
    schema,
    read: (data) => ({ notes: data.get('notes') }),
    save: (body) => edit.save(body),
    onSaved: onClose,
  })
  return (
    <BoundForm
      form={form}
      full
      dense
      onCancel={onClose}
      conflict={
        edit.conflict && (
          <ConflictNotice conflict={edit.conflict} labels={labels} onKeepMine={edit.keepMine} onTakeTheirs={edit.takeTheirs} />
        )
      }
    >
      <TextareaField {...form.field('notes')} label="Notes" rows={5} autoFocus defaultValue={edit.base.notes} limit={4000} />
    </BoundForm>
  )
}

const EditNotes = ({ device, onClose }: { device: Device; onClose: () => void }) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(updateDeviceMutation(api))
  const edit = useEditConflict<Device, Notes>(device, notesOf, (object, body) => mutateAsync({ device: object, body }))
  return <NotesForm key={edit.base.revision} edit={edit} onClose={onClose} />
}

/** The notes of people about a device, edited in place. */
export const NotesPanel = ({ device }: { device: Device }) => {
  const refused = useRefusal('project:manage_devices')
  const [open, setOpen] = useState(false)
  return (
    <Panel
      title="Notes"
      aside={
        !open && (
          <Button size="small" icon={<Icon name="doc" size={14} />} refused={refused} onClick={() => setOpen(true)}>
            Edit notes
          </Button>
        )
      }
    >
      {open ? (
        <EditNotes device={device} onClose={() => setOpen(false)} />
      ) : device.notes === '' ? (
        <p className={quiet}>No notes.</p>
      ) : (
        <p className={text}>{device.notes}</p>
      )}
    </Panel>
  )
}
