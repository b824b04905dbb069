import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { modelCountsQuery } from '../../../../api/queries/fleet/model-counts'
import { releaseQuery } from '../../../../api/queries/updates/releases'
import { tagsQuery } from '../../../../api/queries/fleet/tags'
import { BackLink } from '../../../../system/page/back'
import type { LoaderArgs } from '../../../../system/scope/guard'
import { lazyPart } from '../../../../system/page/lazy'
import { useSystem } from '../../../../system/system'
import { Page, PageHead } from '../../../../ui/layout/page'
import { PanelSkeletons } from '../../../../ui/layout/panel'
import { toDraft, wavesOf } from './plan-draft'

const PlanForm = lazyPart(() => import('./plan-form').then((part) => part.PlanForm))
const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId_/rollout')
const list = '/organizations/$organizationId/projects/$projectId/releases/list' as const

export const load = async ({ context: { api, queryClient }, params }: LoaderArgs<'projectId' | 'releaseId'>) => {
  const [release] = await Promise.all([
    queryClient.ensureQueryData(releaseQuery(api, params.releaseId)),
    queryClient.ensureQueryData(modelCountsQuery(api, params.projectId)),
    queryClient.ensureQueryData(tagsQuery(api, params.projectId)),
  ])
  return release
}

/** The whole plan of a rollout with its preview; begins with what was chosen in the quick dialog. */
export default function RolloutPlanPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const search = route.useSearch()
  const { data: release } = useSuspenseQuery(releaseQuery(api, params.releaseId))
  const { again, tags = [], climb = 'careful', soak = 0, untrusting = false } = search
  const selection = again === undefined ? (tags.length === 0 ? { everything: true } : { tags_any: tags }) : { failed_in: again }
  const target = { ...selection, ...(!untrusting && { key_trusted: true }) }
  return (
    <Page>
      <PageHead
        title={`Start a rollout of ${release.name}`}
        crumbs={[
          <BackLink key="list" to={list} params={params}>
            Releases
          </BackLink>,
          <BackLink key="release" to={`${list}/$releaseId/status`} params={params}>
            {release.name}
          </BackLink>,
          'Start rollout',
        ]}
      />
      <Suspense fallback={<PanelSkeletons />}>
        <PlanForm release={release} start={toDraft({ target, waves: wavesOf(climb, soak) })} />
      </Suspense>
    </Page>
  )
}
