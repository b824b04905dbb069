import { useMutation } from '@tanstack/react-query'
import { object } from 'superstruct'
import { NewSavedView, type SavedView } from '../../../contract/saved-views'
import { createSavedViewMutation, updateSavedViewMutation } from '../../api/mutations/saved-views'
import { BoundForm } from '../../system/bound-form'
import { useForm } from '../../system/form'
import { useModal } from '../../system/modals/use-modal'
import { useSystem } from '../../system/system'
import { Checkbox } from '../../ui/choice'
import * as Dialog from '../../ui/dialog'
import { TextField } from '../../ui/form/text-field'

const { name, shared } = NewSavedView.schema
const schema = object({ name, shared })

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
  const { close, root } = useModal('save_view', onClose)
  const create = useMutation(createSavedViewMutation(api, projectId))
  const update = useMutation(updateSavedViewMutation(api))
  const form = useForm({
    schema,
    read: (data) => ({ name: data.get('name'), shared: data.get('shared') !== null }),
    save: (body) => (view ? update.mutateAsync({ view, body }) : create.mutateAsync({ ...body, ...shown })),
    onSaved: (saved) => {
      close()
      if (!view) onSaved(saved)
    },
  })
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={view ? `Rename ${view.name}` : 'Save view'}
        description="A view has the filters, the sort order, the columns and the height of rows."
      >
        <BoundForm form={form} dense inDialog onCancel={close} submitLabel="Save" submittingLabel="Saving...">
          <TextField {...form.field('name')} label="Name" required autoFocus defaultValue={view?.name} />
          <Checkbox name="shared" defaultChecked={view?.shared}>
            Shared with all people of the project
          </Checkbox>
        </BoundForm>
      </Dialog.Window>
    </Dialog.Root>
  )
}
