import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { EmailChange } from '../../../contract/accounts/email-change'
import { withdrawEmailChangeMutation } from '../../api/mutations/accounts/email-change'
import { emailChangeQuery } from '../../api/queries/accounts/email-change'
import { identitiesQuery } from '../../api/queries/accounts/identities'
import { selfQuery } from '../../api/queries/accounts/self'
import { FailureBox } from '../../system/failure/failure-box'
import { notifyFailed } from '../../system/failure/notify-failed'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'
import { DateTime } from '../../ui/text/time'

const EmailDialog = lazyPart(() => import('./email-dialog').then((part) => part.EmailDialog))

const stack = css({ display: 'grid', gap: '12' })
const words = css({ color: 'text2', overflowWrap: 'anywhere' })
const address = css({ color: 'text', fontWeight: 'medium' })
const buttons = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })

const missing = ({ email, confirmed }: EmailChange, present: string): string => {
  if (confirmed.old) return `${present} has confirmed. ${email} has not yet.`
  return confirmed.new ? `${email} has confirmed. ${present} has not yet.` : `Neither ${email} nor ${present} has confirmed yet.`
}

const Waiting = ({ change, present }: { change: EmailChange; present: string }) => (
  <Callout kind="info">
    <p className={css({ overflowWrap: 'anywhere' })}>
      The address changes to <strong>{change.email}</strong> once the links mailed to both addresses are confirmed.{' '}
      {missing(change, present)} The links are valid until <DateTime value={change.expires_at} />.
    </p>
  </Callout>
)

/** The address of the account, and the change that waits for its confirmations. */
export const EmailPanel = () => {
  const { api } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { data: change, error, refetch } = useQuery(emailChangeQuery(api))
  const { data: ways } = useQuery(identitiesQuery(api))
  const withdraw = useMutation({ ...withdrawEmailChangeMutation(api), onError: notifyFailed })
  const [asked, ask] = useState(false)
  const isManaged = ways !== undefined && (ways.identities.length > 0 || !ways.password_sign_in)
  return (
    <Panel title="E-mail address">
      <div className={stack}>
        <p className={words}>
          <span className={address}>{user.email}</span> is used to sign in and for notices about your account.
        </p>
        {error && change === undefined && <FailureBox error={error} onRetry={() => void refetch()} />}
        {change && <Waiting change={change} present={user.email} />}
        <div className={buttons}>
          <Button
            onClick={() => ask(true)}
            {...(isManaged && { refused: 'A company account signs in to this account. Disconnect it under Security first.' })}
          >
            {change ? 'Change again' : 'Change'}
          </Button>
          {change && (
            <Button variant="dangerOutline" busy={withdraw.isPending} onClick={() => withdraw.mutate()}>
              Withdraw
            </Button>
          )}
        </div>
      </div>
      <Suspense>{asked && <EmailDialog onClose={() => ask(false)} />}</Suspense>
    </Panel>
  )
}
