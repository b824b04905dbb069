import { getRouteApi } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { Page, PageHead } from '../../ui/page'
import { AccessTokens } from './access-tokens'
import { EnrollmentTokens } from './enrollment-tokens'
import { SigningKeys } from './signing-keys'
import { VerificationKeys } from './verification-keys'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/access')

/** The project's signing keys, access tokens, enrollment tokens, and its keys as devices need them. */
export default function AccessPage() {
  const { projectId } = route.useParams()
  return (
    <Page>
      <PageHead title="Access" />
      <div className={css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })}>
        <SigningKeys projectId={projectId} />
        <AccessTokens projectId={projectId} />
        <EnrollmentTokens projectId={projectId} />
        <VerificationKeys projectId={projectId} />
      </div>
    </Page>
  )
}
