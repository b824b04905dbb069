import { createFileRoute, redirect } from '@tanstack/react-router'
import { projectQuery } from '../../../../../api/queries/projects'
import { ProjectFailure } from '../../../../../features/shell/project-failure'
import { holdNeeds } from '../../../../../system/guard'
import { lazyPage } from '../../../../../system/lazy'
import { wordOf } from '../../../../../system/scope'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId')({
  staticData: { needs: ['project:view'] },
  beforeLoad: async (arrival) => {
    const { context, params, location } = arrival
    const [project] = await Promise.all([
      context.queryClient.ensureQueryData(projectQuery(context.api, params.projectId)),
      holdNeeds(arrival),
    ])
    const home = wordOf(project.organization_id ?? null)
    if (home === params.organizationId) return
    // R5: opened under the wrong organization, so the same place under the right one, query kept.
    const from = `/organizations/${params.organizationId}/`
    throw redirect({ href: location.href.replace(from, `/organizations/${home}/`), replace: true })
  },
  component: lazyPage(() => import('../../../../../features/shell/project-frame')),
  errorComponent: ProjectFailure,
})
