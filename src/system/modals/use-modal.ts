import { useSelector } from '@xstate/react'
import { useEffect, useEffectEvent, useId } from 'react'
import { useSystem } from '../system'
import { isGone, isOpen, isTopModal, modalsOf } from './modals'

/**
 * A dialog on the stack while its component is mounted; `name` identifies it in the inspector (`delete_tag`). `close` closes
 * it, `onClosed` is called after the animation, and `root` has the props for the Root of the dialog or the drawer.
 */
export const useModal = (name: string, onClosed: () => void) => {
  const actor = modalsOf(useSystem().modals)
  const id = `${name}.${useId()}`
  const open = useSelector(actor, (snapshot) => isOpen(snapshot, id))
  const gone = useEffectEvent(onClosed)
  useEffect(() => {
    actor.send({ type: 'modal.opened', modal: { id, kind: 'plain' } })
    const leave = () => {
      end()
      gone()
    }
    const leaving = actor.subscribe((snapshot) => isGone(snapshot, id) && leave())
    // A press during the exit animation ends it: the user may want to open the dialog again.
    const hurry = () => !isOpen(actor.getSnapshot(), id) && leave()
    window.addEventListener('pointerdown', hurry, true)
    window.addEventListener('keydown', hurry, true)
    const end = () => {
      leaving.unsubscribe()
      window.removeEventListener('pointerdown', hurry, true)
      window.removeEventListener('keydown', hurry, true)
    }
    return () => {
      end()
      if (isOpen(actor.getSnapshot(), id)) actor.send({ type: 'modal.closed', id })
    }
  }, [actor, id])
  const close = () => actor.send({ type: 'modal.closed', id })
  const onOpenChange = (change: { open: boolean }) => {
    if (!change.open && isTopModal(actor.getSnapshot(), id)) close()
  }
  return { close, root: { open, onOpenChange } }
}
