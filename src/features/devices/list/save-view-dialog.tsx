import { useMutation } from '@tanstack/react-query'
import { type Infer, object } from 'superstruct'
import { NewSavedView, type SavedView } from '../../../../contract/fleet/saved-views'
import { createSavedViewMutation, updateSavedViewMutation } from '../../../api/mutations/fleet/saved-views'
import { BoundForm } from '../../../system/form/bound-form'
import { ConflictNotice } from '../../../system/form/conflict-notice'
import { type EditConflict, useEditConflict } from '../../../system/form/edit-conflict'
import { useForm } from '../../../system/form/form'
import { useModal } from '../../../system/modals/use-modal'
import { useSystem } from '../../../system/system'
import { Checkbox } from '../../../ui/form/choice'
import * as Dialog from '../../../ui/overlay/dialog'
import { TextField } from '../../../ui/form/text-field'

const { name, shared } = NewSavedView.schema
const schema = object({ name, shared })
type Named = Infer<typeof schema>

const fieldsOf = ({ name: title, shared: isShared }: SavedView): Named => ({ name: title, shared: isShared })
const labels = { name: 'Name', shared: 'Shared' }

type FormProps = {
  start?: SavedView
  edit?: EditConflict<SavedView, Named>
  save: (named: Named, extra: { idempotencyKey: string }) => Promise<SavedView>
  onSaved: (view: SavedView) => void
  cancel: () => void
}

const ViewForm = ({ start, edit, save, onSaved, cancel }: FormProps) => {
  const form = useForm({
    schema,
    read: (data) => ({ name: data.get('name'), shared: data.get('shared') !== null }),
    save,
    onSaved,
  })
  return (
    <BoundForm
      form={form}
      dense
      inDialog
      onCancel={cancel}
      submitLabel="Save"
      submittingLabel="Saving..."
      conflict={
        edit?.conflict && (
          <ConflictNotice conflict={edit.conflict} labels={labels} onKeepMine={edit.keepMine} onTakeTheirs={edit.takeTheirs} />
        )
      }
    >
      <TextField {...form.field('name')} label="Name" required autoFocus defaultValue={start?.name} />
      <Checkbox name="shared" defaultChecked={start?.shared}>
        Shared with all people of the project
      </Checkbox>
    </BoundForm>
  )
}

const RenameForm = ({ view, close, cancel }: { view: SavedView; close: () => void; cancel: () => void }) => {
  const { api } = useSystem()
  const { mutateAsync } = useMutation(updateSavedViewMutation(api))
  const edit = useEditConflict<SavedView, Named>(view, fieldsOf, (object, body) => mutateAsync({ view: object, body }))
  return <ViewForm key={edit.base.revision} start={edit.base} edit={edit} save={edit.save} onSaved={close} cancel={cancel} />
}

type Props = {
  projectId: string
  /** The view that is renamed; absent for a new one. */
  view: SavedView | undefined
  shown: Pick<NewSavedView, 'query' | 'columns' | 'dense'>
  onSaved: (view: SavedView) => void
  onClose: () => void
}

/** Names a new view of what the list shows, or renames one. */
export const SaveViewDialog = ({ projectId, view, shown, onSaved, onClose }: Props) => {
  const { api } = useSystem()
  const { close, cancel, root } = useModal('save_view', onClose)
  const create = useMutation(createSavedViewMutation(api, projectId))
  const created = (made: SavedView) => {
    close()
    onSaved(made)
  }
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={view ? `Rename ${view.name}` : 'Save view'}
        description="A view has the filters, the sort order, the columns and the height of rows."
      >
        {view ? (
          <RenameForm view={view} close={close} cancel={cancel} />
        ) : (
          <ViewForm
            save={(named, extra) => create.mutateAsync({ body: { ...named, ...shown }, ...extra })}
            onSaved={created}
            cancel={cancel}
          />
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
