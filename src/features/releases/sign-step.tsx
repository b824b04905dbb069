import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import type { Release } from '../../../contract/updates/releases'
import { failureOf } from '../../api/failure'
import { signReleaseMutation } from '../../api/mutations/updates/releases'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { toSignQuery } from '../../api/queries/updates/releases'
import { groupFingerprint } from '../../lib/names'
import { ChangeFailure } from '../../system/failure/change-failure'
import { FailureBox } from '../../system/failure/failure-box'
import { notKnownText } from '../../system/form/held-request'
import { lazyPart } from '../../system/page/lazy'
import { useRefusal } from '../../system/scope/grants'
import { signedFileName } from '../../system/signing/openssl-command'
import { SignForm } from '../../system/signing/sign-form'
import { useSystem } from '../../system/system'
import { Callout } from '../../ui/layout/notice'
import { Panel, PanelSkeletons } from '../../ui/layout/panel'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')
const SignFacts = lazyPart(() => import('./sign-facts').then((part) => part.SignFacts))
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
/** What is signed is before the form, and from a wide page on beside it. */
const beside = css({
  display: 'grid',
  gap: '24',
  alignItems: 'start',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', xl: 'minmax(0, 1fr) minmax(0, 1fr)' },
})

/** Signing by a command where the key is, or in this page with a key file that is not uploaded. The server only verifies. */
export const SignStep = ({ release, isSigned }: { release: Release; isSigned: boolean }) => {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const refused = useRefusal('project:manage_releases')
  const { data: toSign, error, refetch } = useQuery(toSignQuery(api, release))
  const { data: keys = [] } = useQuery(signingKeysQuery(api, projectId))
  const { mutate, error: failed, isPending } = useMutation(signReleaseMutation(api))
  const usable = keys.filter(({ state, purpose }) => (state === 'active' || state === 'retiring') && purpose !== 'secure_boot')
  const details = failureOf(failed)?.details ?? []
  const send = (keyId: string, signature: string) =>
    mutate({ releaseId: release.id, body: { key_id: keyId, signature_base64: signature } })
  if (error) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (!toSign)
    return (
      <Panel flush title="Sign the manifest">
        <PanelSkeletons />
      </Panel>
    )
  return (
    <Panel
      title="Sign the manifest"
      aside={<code title={groupFingerprint(toSign.manifest_sha256)}>SHA-256 {groupFingerprint(toSign.manifest_sha256, 12)}</code>}
    >
      <div className={stack}>
        {isSigned && (
          <Callout kind="warning">
            The keys that signed this release were revoked, so no device is offered it. Sign it with another key that devices
            trust.
          </Callout>
        )}
        {usable.length === 0 && (
          <Callout kind="warning">No active signing key is registered. Add a public key under Settings, Access.</Callout>
        )}
        <div className={beside}>
          <Suspense fallback={<PanelSkeletons />}>
            <SignFacts release={release} payload={toSign.payload_base64} />
          </Suspense>
          <SignForm
            document="manifest"
            fileName={signedFileName('manifest', release.name, release.display_version ?? `v${release.version}`)}
            toSign={toSign}
            keys={usable}
            busy={isPending}
            refused={refused}
            details={details}
            onSign={send}
          />
        </div>
        {details.length === 0 && <ChangeFailure error={failed} unanswered={notKnownText} />}
      </div>
    </Panel>
  )
}
