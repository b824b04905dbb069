import { useSelector } from '@xstate/react'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { flushSync } from 'react-dom'
import { createWindowContents } from '../../ui/overlay/window-contents'
import { fetchPart } from '../page/lazy'
import { useSystem } from '../system'
import { isGone, isOpen, isTopModal, modalsOf } from './modals'

/**
 * A dialog on the stack while its component is mounted; `name` identifies it in the inspector (`delete_tag`). `close` closes
 * it, `onClosed` is called after the animation, and `root` has the props for the Root of the dialog or the drawer. Escape and the
 * scrim ask first where text or the answer of a request would be lost, `cancel` where the answer would.
 */
export const useModal = (name: string, onClosed: () => void) => {
  const { modals } = useSystem()
  const actor = modalsOf(modals)
  const id = `${name}.${useId()}`
  const open = useSelector(actor, (snapshot) => isOpen(snapshot, id))
  const [contents] = useState(createWindowContents)
  const gone = useEffectEvent(onClosed)
  useEffect(() => {
    actor.send({ type: 'modal.opened', modal: { id, kind: 'plain' } })
    const leave = () => {
      end()
      // Before the next event: a press that opens the dialog again would else meet its former component, which has ended.
      queueMicrotask(() => flushSync(gone))
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
  const ask = async () => {
    const { confirmClosing } = await fetchPart(() => import('../form/unsaved-changes'))
    // It may be closed since, or another one lies above it.
    if (isTopModal(actor.getSnapshot(), id) && (await confirmClosing(modals, contents))) close()
  }
  const onOpenChange = ({ open: opens }: { open: boolean }) => {
    if (opens || !isTopModal(actor.getSnapshot(), id)) return
    if (contents.stake()) void ask()
    else close()
  }
  // Whoever presses Cancel knows what was typed, but not what becomes of a request.
  const cancel = () => {
    const stake = contents.stake()
    if (stake === 'saving' || stake === 'unknown') void ask()
    else close()
  }
  return { close, cancel, root: { open, onOpenChange, contents } }
}
