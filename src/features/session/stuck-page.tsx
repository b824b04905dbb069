import { useSelector } from '@xstate/react'
import type { StuckReason } from '../../../machines/auth/auth.machine'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Plate } from './plate'

const reasons: Readonly<Record<StuckReason, string>> = {
  loop: 'Signing in did not keep: the browser was sent to the sign-in page twice within a minute and came back without a session.',
  storage:
    'This browser keeps nothing for this site. Allow site data for it, because the session has to be remembered somewhere.',
  departure:
    'This browser could not prepare the sign-in. Open the control center by its secure address, which begins with https.',
  exchange: 'The sign-in could not be completed. Its code may have been used already or be more than a minute old.',
}

/** Instead of a third automatic round: why, and the way on. */
export const StuckPage = () => {
  const { auth } = useSystem()
  const reason = useSelector(auth, (snapshot) => snapshot.context.reason ?? 'loop')
  return (
    <Plate
      title="You are not signed in"
      actions={
        <Button variant="primary" onClick={() => auth.send({ type: 'signIn.asked' })}>
          Sign in
        </Button>
      }
    >
      {reasons[reason]}
    </Plate>
  )
}
