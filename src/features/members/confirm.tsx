import { describeError } from '../../system/failure/describe-error'
import { useModal } from '../../system/modals/use-modal'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { Callout } from '../../ui/layout/notice'

type Props = {
  title: string
  /** The consequence. */
  children: string
  verb: string
  busyLabel: string
  busy: boolean
  error: unknown
  danger?: boolean
  onConfirm: () => void
  onClose: () => void
}

/** The question names the object, the button repeats the verb. A refusal of the server is shown here. */
export const Confirm = ({ title, children, verb, busyLabel, busy, error, danger = true, onConfirm, onClose }: Props) => {
  const { cancel, root } = useModal('confirm_person', onClose)
  return (
    <Dialog.Root {...root} role="alertdialog">
      <Dialog.Window
        title={title}
        description={children}
        footer={
          <>
            <Button onClick={cancel}>Cancel</Button>
            <Button variant={danger ? 'danger' : 'primary'} busy={busy} busyLabel={busyLabel} onClick={onConfirm}>
              {verb}
            </Button>
          </>
        }
      >
        {error !== null && error !== undefined && <Callout kind="error">{describeError(error, 'Nothing was changed')}</Callout>}
      </Dialog.Window>
    </Dialog.Root>
  )
}
