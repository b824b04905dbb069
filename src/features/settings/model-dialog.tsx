import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import type { Project } from '../../../contract/accounts/projects'
import { useEditConflict } from '../../system/form/edit-conflict'
import { useModal } from '../../system/modals/use-modal'
import * as Dialog from '../../ui/overlay/dialog'
import { fieldsOfModel, withModel } from './model-change'
import { ModelForm } from './model-form'
import { useChangeModels } from './use-change-models'

type Props = { project: Project; model?: HardwareModel; onClose: () => void }

/** Adds or changes a hardware model. */
export const ModelDialog = ({ project, model, onClose }: Props) => {
  const { close, cancel, root } = useModal(model ? 'edit_model' : 'add_model', onClose)
  const { save, announce } = useChangeModels()
  const edit = useEditConflict(project, fieldsOfModel(model?.id), async (before, fields) => {
    const saved = await save(before, withModel(before, model, fields))
    const modelId = model?.id ?? String(fields.id)
    announce({ text: model ? `${model.name} changed` : 'Model added', modelId, before, saved })
    return saved
  })
  const { base } = edit
  return (
    <Dialog.Root {...root}>
      <Dialog.Window
        title={model ? `Edit ${model.name}` : 'Add a hardware model'}
        description="Releases are built for hardware models. The client decides how its devices get updates, and what confirms them."
      >
        <ModelForm
          key={base.revision}
          edit={edit}
          model={model && (base.settings.hardware_models.find(({ id }) => id === model.id) ?? model)}
          close={close}
          cancel={cancel}
        />
      </Dialog.Window>
    </Dialog.Root>
  )
}
