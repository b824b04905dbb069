import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { keyRotationQuery } from '../../../api/queries/fleet/key-rotation'
import { signingKeysQuery } from '../../../api/queries/fleet/keys'
import { dueIn, paces } from '../../../api/refresh'
import { FailureBox } from '../../../system/failure/failure-box'
import { lazyPart } from '../../../system/page/lazy'
import { useSystem } from '../../../system/system'
import { Page, PageHead } from '../../../ui/layout/page'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import { Phases } from '../../../ui/layout/timeline'
import { KeyListPanel } from './key-list-panel'
import { RotationPanel } from './rotation-panel'
import { type RotationStep, rotationStep, rotationSteps } from './rotation-step'

const StartRotation = lazyPart(() => import('./start-rotation').then((part) => part.StartRotation))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/access_/key-rotation')
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })

const titles: Record<RotationStep, string> = {
  create: 'Create the new key',
  publish: 'Publish the key list',
  wait: 'Wait for devices',
  end: 'Retire or revoke the old key',
  drop: 'Publish the list without it',
}

const phasesAt = (step: RotationStep) => {
  const current = rotationSteps.indexOf(step)
  return rotationSteps.map((one, at) => ({
    name: titles[one],
    state: at < current ? ('passed' as const) : at === current ? ('current' as const) : ('upcoming' as const),
  }))
}

const waiting = (
  <Panel flush title="Replace a signing key">
    <PanelSkeletons />
  </Panel>
)

/** Replaces a signing key on all devices without visiting them. The step follows from the server, so anyone can continue. */
export default function KeyRotationPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const { projectId } = params
  const keys = useQuery({ ...signingKeysQuery(api, projectId), refetchInterval: ({ state }) => dueIn(state, paces.list) })
  const rotation = useQuery({ ...keyRotationQuery(api, projectId), refetchInterval: ({ state }) => dueIn(state, paces.fleet) })
  const failed = keys.data === undefined ? keys : rotation
  const step = keys.data && rotation.data ? rotationStep(keys.data, rotation.data) : null
  return (
    <Page>
      <PageHead
        crumbs={[
          <Link key="access" to="/organizations/$organizationId/projects/$projectId/access" params={params}>
            Access
          </Link>,
          'Key rotation',
        ]}
        title="Key rotation"
      />
      <div className={stack}>
        {keys.data && rotation.data ? (
          <>
            {step === null ? (
              <Suspense fallback={waiting}>
                <StartRotation projectId={projectId} keys={keys.data} />
              </Suspense>
            ) : (
              <>
                <Phases label="Steps of the rotation" phases={phasesAt(step)} />
                <RotationPanel title={titles[step]} step={step} projectId={projectId} keys={keys.data} rotation={rotation.data} />
              </>
            )}
            {rotation.data.newest && (
              <KeyListPanel
                list={rotation.data.newest}
                coverage={rotation.data.coverage}
                canFollow={rotation.data.next.stranded > 0}
              />
            )}
          </>
        ) : failed.error ? (
          <FailureBox error={failed.error} onRetry={() => void failed.refetch()} />
        ) : (
          waiting
        )}
      </div>
    </Page>
  )
}
