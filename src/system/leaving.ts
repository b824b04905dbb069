import { useBlocker } from '@tanstack/react-router'
import { useSelector } from '@xstate/react'
import type { ActorRefFrom } from 'xstate'
import type { formMachine } from '../../machines/form/form.machine'

type FormActor = ActorRefFrom<typeof formMachine>

/** Resolves to whether the way is barred: the chart asks the user if something would be lost. */
const barred = (actor: FormActor) =>
  new Promise<boolean>((resolve) => {
    const answers = [actor.on('leave.allowed', () => end(false)), actor.on('leave.refused', () => end(true))]
    const end = (answer: boolean) => {
      for (const answered of answers) answered.unsubscribe()
      resolve(answer)
    }
    actor.send({ type: 'leave.asked' })
  })

/** Unsaved changes ask before the page is left; the same page with another query is not left. */
export const useLeaving = (actor: FormActor) => {
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && barred(actor),
    // Closing the tab is asked about by `work`, which knows of uploads too.
    enableBeforeUnload: false,
  })
  const asking = useSelector(actor, (snapshot) => snapshot.hasTag('asking'))
  return {
    asking,
    leave: () => actor.send({ type: 'leave.confirmed' }),
    stay: () => actor.send({ type: 'leave.declined' }),
  }
}
