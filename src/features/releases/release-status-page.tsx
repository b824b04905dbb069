import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { isDeployable } from '../../../contract/updates/releases'
import { dueIn, paces } from '../../api/refresh'
import { signingKeysQuery } from '../../api/queries/fleet/keys'
import { releaseQuery } from '../../api/queries/updates/releases'
import { releaseRolloutsQuery } from '../../api/queries/updates/rollouts'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { FailureBox } from '../../system/failure/failure-box'
import { EmptyState } from '../../ui/layout/notice'
import { Panel, PanelSkeletons } from '../../ui/layout/panel'
import { ReturnNote } from './return-note'
import { restartRefusal } from './rollouts/restart-refusal'
import { RolloutPanel } from './rollouts/rollout-panel'
import { findValidSignature } from './valid-signature'

const BundleNote = lazyPart(() => import('./bundle-note').then((part) => part.BundleNote))
const DraftStep = lazyPart(() => import('./draft-step').then((part) => part.DraftStep))
const SignStep = lazyPart(() => import('./sign-step').then((part) => part.SignStep))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })

/** The state of a release: remaining steps before it can be rolled out, then its rollouts. */
export default function ReleaseStatusPage() {
  const { api } = useSystem()
  const { releaseId } = route.useParams()
  const { data: release } = useSuspenseQuery(releaseQuery(api, releaseId))
  const signed = release.signatures.length > 0
  const { data: keys } = useQuery({ ...signingKeysQuery(api, release.project_id), enabled: signed })
  const isDraft = !signed && release.state !== 'awaiting_signature'
  const signAgain = isDeployable(release.state) && keys !== undefined && !findValidSignature(release, keys)
  const {
    data: rollouts,
    error,
    isLoading,
    refetch,
  } = useQuery({
    ...releaseRolloutsQuery(api, releaseId),
    enabled: signed,
    refetchInterval: ({ state }) => dueIn(state, state.data?.some((one) => one.ended_at === null) ? paces.event : paces.list),
  })
  return (
    <div className={stack}>
      <Suspense
        fallback={
          <Panel flush title={isDraft ? 'Finish the draft' : 'Sign the manifest'}>
            <PanelSkeletons />
          </Panel>
        }
      >
        {(release.state === 'awaiting_signature' || signAgain) && <SignStep release={release} isSigned={signAgain} />}
        {isDraft && <DraftStep release={release} />}
      </Suspense>
      <ReturnNote release={release} />
      {release.secure_boot_bundle_id != null && (
        <Suspense>
          <BundleNote bundleId={release.secure_boot_bundle_id} />
        </Suspense>
      )}
      {isLoading && (
        <Panel flush title="Rollouts">
          <PanelSkeletons rows={4} />
        </Panel>
      )}
      {error && !rollouts && <FailureBox error={error} onRetry={() => void refetch()} />}
      {rollouts?.map((rollout, index) => (
        <RolloutPanel key={rollout.id} rollout={rollout} newest={index === 0} restartRefused={restartRefusal(release)} />
      ))}
      {release.state === 'ready' && rollouts?.length === 0 && (
        <EmptyState title="Ready to roll out">Signed and verified. Start a rollout to offer it to devices.</EmptyState>
      )}
    </div>
  )
}
