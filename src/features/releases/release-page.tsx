import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { releaseQuery } from '../../api/queries/updates/releases'
import { every, paces } from '../../api/refresh'
import { releaseDisplay } from '../../lib/status-display'
import { BackLink } from '../../system/page/back'
import { useExperiments } from '../../system/experiments'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { GonePage, isGone } from '../../system/gone/gone-page'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { Badge } from '../../ui/text/badge'
import { Chip } from '../../ui/text/chip'
import { Page, PageHead } from '../../ui/layout/page'
import { tabClass, TabLinks } from '../../ui/layout/tab-links'
import { ReleaseActions } from './release-actions'
import { SignedBy } from './signed-by'

const ReleaseAlerts = lazyPart(() => import('./release-alerts').then((part) => part.ReleaseAlerts))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')
const place = '/organizations/$organizationId/projects/$projectId/releases/list' as const

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'releaseId'>) =>
  queryClient.ensureQueryData(releaseQuery(api, params.releaseId))

/** One release with its signatures and its tabs: status, assets, components and a comparison. */
export default function ReleasePage() {
  const { api } = useSystem()
  const params = route.useParams()
  const query = useSuspenseQuery({
    ...releaseQuery(api, params.releaseId),
    refetchInterval: every(paces.fleet),
  })
  const { data: release } = query
  const comparing = useExperiments()
  const { shape, word } = releaseDisplay(release.state)
  const { id, name, project_id: projectId } = release
  const crumbs = [
    <BackLink key="list" to={place} params={params}>
      Releases
    </BackLink>,
    name,
  ]
  if (isGone(query)) return <GonePage kind="release" id={id} name={name} log={{ projectId }} crumbs={crumbs} />
  return (
    <Page>
      <PageHead
        crumbs={crumbs}
        title={
          <>
            {release.name}{' '}
            {release.display_version !== null && !release.name.includes(release.display_version) && (
              <code>{release.display_version}</code>
            )}
          </>
        }
        count={<code className={css({ textStyle: 'mono' })}>{release.version}</code>}
        chips={
          <>
            <Chip shape={shape}>{release.state_reason ? `${word}: ${release.state_reason}` : word}</Chip>
            <SignedBy release={release} />
          </>
        }
        actions={<ReleaseActions release={release} />}
      />
      <RefreshFailed query={query} />
      <TabLinks label="Release">
        <Link to={`${place}/$releaseId/status`} params={params} className={tabClass()}>
          Status
        </Link>
        <Link to={`${place}/$releaseId/assets`} params={params} className={tabClass()}>
          Assets <Badge>{release.assets.length}</Badge>
        </Link>
        <Link to={`${place}/$releaseId/components`} params={params} className={tabClass()}>
          Components
        </Link>
        {comparing && (
          <Link to={`${place}/$releaseId/compare`} params={params} className={tabClass()}>
            Compare
          </Link>
        )}
      </TabLinks>
      {(release.state === 'revoked' || release.warnings.length > 0 || release.assets.some((asset) => asset.damaged_at)) && (
        <Suspense>
          <ReleaseAlerts release={release} />
        </Suspense>
      )}
      <Outlet />
    </Page>
  )
}
