import { useBlocker } from '@tanstack/react-router'
import type { ActorRefFrom } from 'xstate'
import type { formMachine } from '../../machines/form/form.machine'
import { stakeOf } from './form'
import { fetchPart } from './lazy'
import type { Modals } from './modals/modals'
import { useSystem } from './system'

type FormActor = ActorRefFrom<typeof formMachine>

/** The page is being left: its other forms, which the router asks next, do not ask again. */
let isLeaving = false

/** Asks by what is at stake. If that changes behind the question, it asks anew, or not at all. */
const askWhileAtStake = async (actor: FormActor, modals: Modals): Promise<boolean> => {
  const { confirmLeaving } = await fetchPart(() => import('./unsaved-changes'))
  for (;;) {
    const stake = stakeOf(actor.getSnapshot())
    if (stake === undefined) return false
    const ended = new AbortController()
    const watching = actor.subscribe((snapshot) => stakeOf(snapshot) !== stake && ended.abort())
    const leaves = await confirmLeaving(modals, stake, ended.signal)
    watching.unsubscribe()
    if (!ended.signal.aborted) return leaves
  }
}

const ask = async (actor: FormActor, modals: Modals) => {
  if (!isLeaving) {
    isLeaving = await askWhileAtStake(actor, modals)
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
