import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import type { Project } from '../../../contract/accounts/projects'
import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'
import { useChangeModels } from './use-change-models'

type Props = { project: Project; model: HardwareModel; onClose: () => void }

/** Removes a model that no device, release or enrollment token uses. */
export const RemoveModelDialog = ({ project, model, onClose }: Props) => {
  const modal = useModal('remove_model', onClose)
  const { save, announce, isPending, error } = useChangeModels()
  const confirm = async () => {
    const saved = await save(
      project,
      project.settings.hardware_models.filter(({ id }) => id !== model.id),
    )
    modal.close()
    announce({ text: `${model.name} removed`, modelId: model.id, before: project, saved })
  }
  return (
    <AskDialog
      modal={modal}
      title={
        <>
          Remove <code>{model.id}</code>?
        </>
      }
      text="New devices and releases cannot use it any more. A model that devices, releases or enrollment tokens use cannot be removed."
      verb="Remove model"
      busyVerb="Removing..."
      busy={isPending}
      error={error}
      onConfirm={() => void confirm().catch(() => {})}
    />
  )
}
