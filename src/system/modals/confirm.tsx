import { useSelector } from '@xstate/react'
import { createRoot } from 'react-dom/client'
import type { Modal } from '../../../machines/modals/modals.machine'
import { Button } from '../../ui/button'
import * as Dialog from '../../ui/overlay/dialog'
import { isGone, isOpen, isTopModal, type Modals, type ModalsActor, modalsOf } from './modals'

export type Question = {
  title: string
  /** The consequence. */
  text: string
  accept: string
  decline: string
  /** Something is lost. */
  danger?: boolean
}

const Confirm = ({ actor, id, question }: { actor: ModalsActor; id: string; question: Question }) => {
  const open = useSelector(actor, (snapshot) => isOpen(snapshot, id))
  const decline = () => actor.send({ type: 'confirm.declined', id })
  return (
    <Dialog.Root
      open={open}
      role="alertdialog"
      onOpenChange={(change) => !change.open && isTopModal(actor.getSnapshot(), id) && decline()}
    >
      <Dialog.Window
        title={question.title}
        description={question.text}
        footer={
          <>
            <Button onClick={decline}>{question.decline}</Button>
            <Button variant={question.danger ? 'danger' : 'primary'} onClick={() => actor.send({ type: 'confirm.accepted', id })}>
              {question.accept}
            </Button>
          </>
        }
      />
    </Dialog.Root>
  )
}

let asked = 0

/**
 * §4: closes on confirm and on cancel. Closing it in another way cancels. It is independent of the page that asked. A question that
 * is open already is not asked again: the second time counts as cancelled. `ended` withdraws it, which counts as cancelled.
 */
export const confirm = (modals: Modals, question: Question, ended?: AbortSignal) =>
  new Promise<boolean>((resolve) => {
    const actor = modalsOf(modals)
    const isAsked = ({ kind, title }: Modal) => kind === 'confirm' && title === question.title
    if (actor.getSnapshot().context.stack.some(isAsked)) return resolve(false)
    asked += 1
    const id = `confirm.${asked}`
    const root = createRoot(document.createElement('div'))
    actor.send({ type: 'modal.opened', modal: { id, kind: 'confirm', title: question.title } })
    const accepted = actor.on('confirm.accepted', (answer) => answer.id === id && resolve(true))
    const leaving = actor.subscribe((snapshot) => {
      if (!isOpen(snapshot, id)) resolve(false)
      if (!isGone(snapshot, id)) return
      accepted.unsubscribe()
      leaving.unsubscribe()
      root.unmount()
    })
    ended?.addEventListener('abort', () => isOpen(actor.getSnapshot(), id) && actor.send({ type: 'modal.closed', id }))
    root.render(<Confirm actor={actor} id={id} question={question} />)
  })
