import { useSelector } from '@xstate/react'
import { useEffect, useEffectEvent, useId } from 'react'
import { useSystem } from '../system'
import { isGone, isOpen, isUpper, modalsOf } from './modals'

/**
 * A dialog on the stack for as long as its component stands; `name` tells the inspector which (`delete_tag`).
 * `close` closes it, `onClosed` is called when it has gone, and `root` is for the Root of the dialog or the drawer.
 */
export const useModal = (name: string, onClosed: () => void) => {
  const actor = modalsOf(useSystem().modals)
  const id = `${name}.${useId()}`
  const open = useSelector(actor, (snapshot) => isOpen(snapshot, id))
  const gone = useEffectEvent(onClosed)
  useEffect(() => {
    actor.send({ type: 'modal.opened', modal: { id, kind: 'plain' } })
    const leaving = actor.subscribe((snapshot) => {
      if (!isGone(snapshot, id)) return
      leaving.unsubscribe()
      gone()
    })
    return () => {
      leaving.unsubscribe()
      if (isOpen(actor.getSnapshot(), id)) actor.send({ type: 'modal.closed', id })
    }
  }, [actor, id])
  const close = () => actor.send({ type: 'modal.closed', id })
  const onOpenChange = (change: { open: boolean }) => {
    if (!change.open && isUpper(actor.getSnapshot(), id)) close()
  }
  return { close, root: { open, onOpenChange } }
}
