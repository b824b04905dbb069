import { useSelector } from '@xstate/react'
import type { StuckReason } from '../../../machines/auth/auth.machine'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { StatusPage } from './status-page'

const reasons: Readonly<Record<StuckReason, string>> = {
  loop: 'Sign-in did not complete: the browser was sent to the sign-in page twice within a minute and came back without a session.',
  storage: 'This browser stores no data for this site. Allow site data: the session is stored there.',
  departure: 'This browser could not prepare the sign-in. Open the control center at its https address.',
  exchange: 'The sign-in could not be completed. Its code was already used or is more than a minute old. Sign in again.',
}

/** Shown instead of a third automatic redirect: the reason, and a button. */
export const StuckPage = () => {
  const { auth } = useSystem()
  const reason = useSelector(auth, (snapshot) => snapshot.context.reason ?? 'loop')
  return (
    <StatusPage
      title="You are not signed in"
      actions={
        <Button variant="primary" onClick={() => auth.send({ type: 'signIn.asked' })}>
          Sign in
        </Button>
      }
    >
      {reasons[reason]}
    </StatusPage>
  )
}
