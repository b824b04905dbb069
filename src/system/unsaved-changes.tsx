import { Button } from '../ui/button'
import * as Dialog from '../ui/dialog'

/** Esc and the scrim mean: stay. */
export const UnsavedChanges = ({ onStay, onLeave }: { onStay: () => void; onLeave: () => void }) => (
  <Dialog.Root open role="alertdialog" onOpenChange={({ open }) => !open && onStay()}>
    <Dialog.Window
      title="Leave without saving?"
      description="What you typed on this page is not saved and will be lost."
      footer={
        <>
          <Button onClick={onStay}>Stay</Button>
          <Button variant="danger" onClick={onLeave}>
            Leave
          </Button>
        </>
      }
    />
  </Dialog.Root>
)
