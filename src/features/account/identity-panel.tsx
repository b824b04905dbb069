import { useQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Identities, Identity } from '../../../contract/accounts/identities'
import { identitiesQuery } from '../../api/queries/accounts/identities'
import { FailureBox } from '../../system/failure/failure-box'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { Panel } from '../../ui/layout/panel'
import { DateTime, RelativeTime } from '../../ui/text/time'

const Disconnect = lazyPart(() => import('./identity-dialog').then((part) => part.DisconnectDialog))

const stack = css({ display: 'grid', gap: '12' })
const words = css({ color: 'text2', overflowWrap: 'anywhere' })
const buttons = css({ display: 'flex', flexWrap: 'wrap', gap: '8' })

const refusalOf = ({ has_password: hasPassword, password_sign_in: passwords }: Identities): string | undefined => {
  if (!passwords) return 'Without it you could not sign in: passwords do not sign in here.'
  return hasPassword ? undefined : 'Without it you could not sign in: set a password first.'
}

type Connected = { identity: Identity; refused: string | undefined; onDisconnect: () => void }
const ConnectedAccount = ({ identity, refused, onDisconnect }: Connected) => (
  <div className={stack}>
    <p className={words}>
      {identity.email} of {identity.provider} has signed in to this account since <DateTime value={identity.connected_at} />, last{' '}
      <RelativeTime value={identity.last_used_at} />.
    </p>
    <div className={buttons}>
      <Button variant="dangerOutline" {...(refused !== undefined && { refused })} onClick={onDisconnect}>
        Disconnect
      </Button>
    </div>
  </div>
)

/** The account of the identity provider that signs in to this account. Nothing where there is no provider. */
export const IdentityPanel = () => {
  const { api, environment } = useSystem()
  const { data, error, refetch } = useQuery(identitiesQuery(api))
  const [asked, ask] = useState<Identity>()
  if (!data) return error ? <FailureBox error={error} onRetry={() => void refetch()} /> : null
  const { identities, provider, has_password: hasPassword } = data
  if (provider === null && identities.length === 0) return null
  const on = identities.length > 0
  return (
    <Panel title="Company account" aside={<Status shape={on ? 'success' : 'none'}>{on ? 'Connected' : 'Not connected'}</Status>}>
      <div className={stack}>
        {!on && (
          <p className={words}>
            To connect it, sign out and choose “Continue with {provider}” on the sign-in page. It asks for your password once.
          </p>
        )}
        {identities.map((identity) => (
          <ConnectedAccount key={identity.id} identity={identity} refused={refusalOf(data)} onDisconnect={() => ask(identity)} />
        ))}
        {!hasPassword && (
          <p className={words}>
            This account has no password, which changes on this page ask for. <a href={`${environment.signIn}/forgot`}>Set one</a>{' '}
            by a link that we mail to you.
          </p>
        )}
      </div>
      <Suspense>{asked && <Disconnect identity={asked} onClose={() => ask(undefined)} />}</Suspense>
    </Panel>
  )
}
