import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { recoveryCodeCount } from '../../../contract/accounts/account'
import { secondFactorQuery } from '../../api/queries/accounts/second-factor'
import { FailureBox } from '../../system/failure/failure-box'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'
import { Skeleton } from '../../ui/layout/skeleton'
import { DateTime } from '../../ui/text/time'

const dialogs = () => import('./factor-dialogs')
const TurnOn = lazyPart(() => dialogs().then((part) => part.TurnOnDialog))
const TurnOff = lazyPart(() => dialogs().then((part) => part.TurnOffDialog))
const Renew = lazyPart(() => dialogs().then((part) => part.RenewDialog))

const stack = css({ display: 'grid', gap: '12' })
const words = css({ color: 'text2' })
const buttons = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })
/** With this many left, the panel suggests to create new ones. */
const few = 3

type Asked = 'on' | 'off' | 'codes' | undefined
type Ask = (what: Asked) => void

const Off = ({ ask }: { ask: Ask }) => (
  <div className={stack}>
    <p className={words}>
      Sign-in does not ask for a code. Two-step sign-in also asks for a code from an app on your phone, so that a stolen password
      is not enough.
    </p>
    <div className={buttons}>
      <Button onClick={() => ask('on')}>Turn on two-step sign-in</Button>
    </div>
  </div>
)

const On = ({ left, since, ask }: { left: number; since: string; ask: Ask }) => (
  <div className={stack}>
    <p className={words}>
      Sign-in has also asked for a code from your app since <DateTime value={since} />. Without the app, use a recovery code:{' '}
      {left} of {recoveryCodeCount} are left.
    </p>
    {left <= few && (
      <Callout kind="warning">
        {left === 0 ? 'No recovery code is left.' : `Only ${left} recovery ${left === 1 ? 'code is' : 'codes are'} left.`} Create
        new ones before you lose your phone.
      </Callout>
    )}
    <div className={buttons}>
      <Button onClick={() => ask('codes')}>New recovery codes</Button>
      <Button variant="dangerOutline" onClick={() => ask('off')}>
        Turn off
      </Button>
    </div>
  </div>
)

export const FactorPanel = () => {
  const { api } = useSystem()
  const { data: factor, error, refetch } = useQuery(secondFactorQuery(api))
  const [asked, ask] = useState<Asked>()
  const close = () => ask(undefined)
  const on = factor !== undefined && factor.enabled_at !== null
  return (
    <Panel title="Two-step sign-in" aside={factor && <Status shape={on ? 'success' : 'none'}>{on ? 'On' : 'Off'}</Status>}>
      {error && !factor && <FailureBox error={error} onRetry={() => void refetch()} />}
      {!factor && !error && (
        <div aria-busy className={stack}>
          <Skeleton width="full" />
          <Skeleton width="half" />
        </div>
      )}
      {factor && factor.enabled_at === null && <Off ask={ask} />}
      {factor && factor.enabled_at !== null && <On left={factor.recovery_codes_left} since={factor.enabled_at} ask={ask} />}
      <Suspense>
        {asked === 'on' && <TurnOn onClose={close} />}
        {asked === 'off' && <TurnOff onClose={close} />}
        {asked === 'codes' && <Renew onClose={close} />}
      </Suspense>
    </Panel>
  )
}
