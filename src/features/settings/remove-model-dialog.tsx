import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import type { Project } from '../../../contract/accounts/projects'
import { describeFailure } from '../../system/failure/failure-text'
import { useModal } from '../../system/modals/use-modal'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { Callout } from '../../ui/layout/notice'
import { useChangeModels } from './use-change-models'

type Props = { project: Project; model: HardwareModel; onClose: () => void }

/** Removes a model that no device, release or enrollment token uses. */
export const RemoveModelDialog = ({ project, model, onClose }: Props) => {
  const { close, cancel, root } = useModal('remove_model', onClose)
  const { save, announce, isPending, failure } = useChangeModels()
  const confirm = async () => {
    const saved = await save(
      project,
      project.settings.hardware_models.filter(({ id }) => id !== model.id),
    )
    close()
    announce({ text: `${model.name} removed`, modelId: model.id, before: project, saved })
  }
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={
          <>
            Remove <code>{model.id}</code>?
          </>
        }
        description="New devices and releases cannot use it any more. A model that devices, releases or enrollment tokens use cannot be removed."
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button variant="danger" busy={isPending} busyLabel="Removing..." onClick={() => void confirm().catch(() => {})}>
              Remove model
            </Button>
          </>
        }
      >
        {failure && (
          <Callout kind={failure.status === 409 ? 'warning' : 'error'}>{describeFailure(failure) ?? failure.message}</Callout>
        )}
      </Dialog.Window>
    </Dialog.Root>
  )
}
