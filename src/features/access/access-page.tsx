import { getRouteApi } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { Expirations } from '../../system/expirations'
import { Page, PageHead } from '../../ui/layout/page'
import { AccessTokens } from './tokens/access-tokens'
import { EnrollmentTokens } from './tokens/enrollment-tokens'
import { SigningKeys } from './keys/signing-keys'
import { VerificationKeys } from './keys/verification-keys'
import { WebhooksPanel } from './webhooks/webhooks-panel'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/access')

/** The project's signing keys, access tokens, enrollment tokens, and its keys as devices need them. */
export default function AccessPage() {
  const { projectId } = route.useParams()
  const { rotate, renew, add } = route.useSearch()
  const navigate = route.useNavigate()
  const close = () => void navigate({ search: {}, replace: true })
  return (
    <Page>
      <PageHead title="Access" />
      <div className={css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })}>
        <Expirations scope={{ project_id: projectId }} />
        <SigningKeys projectId={projectId} add={add === 'signing_key'} onClose={close} />
        <AccessTokens projectId={projectId} rotate={rotate} onClose={close} />
        <WebhooksPanel />
        <EnrollmentTokens projectId={projectId} renew={renew} onClose={close} />
        <VerificationKeys projectId={projectId} />
      </div>
    </Page>
  )
}
