import { useBlocker } from '@tanstack/react-router'
import type { ActorRefFrom } from 'xstate'
import type { formMachine } from '../../../machines/form/form.machine'
import { holderOf } from './form'
import { fetchPart } from '../page/lazy'
import type { Modals } from '../modals/modals'
import { useSystem } from '../system'

type FormActor = ActorRefFrom<typeof formMachine>

/** The page is being left: its other forms, which the router asks next, do not ask again. */
let isLeaving = false

const ask = async (actor: FormActor, modals: Modals) => {
  if (!isLeaving) {
    const { confirmLeaving } = await fetchPart(() => import('./unsaved-changes'))
    isLeaving = await confirmLeaving(modals, holderOf(actor))
    setTimeout(() => (isLeaving = false))
  }
  actor.send({ type: isLeaving ? 'leave.confirmed' : 'leave.declined' })
}

/** Resolves to whether navigation is blocked: the chart asks the user if something would be lost. */
const barred = (actor: FormActor, modals: Modals) =>
  new Promise<boolean>((resolve) => {
    const answers = [actor.on('leave.allowed', () => end(false)), actor.on('leave.refused', () => end(true))]
    const end = (answer: boolean) => {
      for (const answered of answers) answered.unsubscribe()
      resolve(answer)
    }
    const isAsking = () => actor.getSnapshot().hasTag('asking')
    // Only one question at a time.
    const before = isAsking()
    actor.send({ type: 'leave.asked' })
    if (!before && isAsking()) void ask(actor, modals)
  })

/** Unsaved changes, and a save that runs or whose answer was lost, ask before the page is left; a change of the query only is no leaving. */
export const useLeaveGuard = (actor: FormActor) => {
  const { modals } = useSystem()
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && barred(actor, modals),
    // `UnsavedWork` asks before the tab closes; it knows about uploads too.
    enableBeforeUnload: false,
  })
}
