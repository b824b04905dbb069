import { AskDialog } from '../../system/ask-dialog'
import { useModal } from '../../system/modals/use-modal'

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
export const Confirm = ({ children, busyLabel, error, onClose, ...asked }: Props) => (
  <AskDialog {...asked} modal={useModal('confirm_person', onClose)} text={children} busyVerb={busyLabel} error={error ?? null} />
)
