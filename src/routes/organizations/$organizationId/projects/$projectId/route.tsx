import { createFileRoute, redirect } from '@tanstack/react-router'
import { projectQuery } from '../../../../../api/queries/accounts/projects'
import { ProjectFailure } from '../../../../../features/shell/project-failure'
import { requirePermissions } from '../../../../../system/scope/guard'
import { lazyLoader, lazyPage } from '../../../../../system/page/lazy'
import { scopeToPath } from '../../../../../system/scope/scope'

const page = () => import('../../../../../features/shell/project-frame')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId')({
  staticData: { needs: ['project:view'] },
  beforeLoad: async (arrival) => {
    const { context, params, location } = arrival
    const held = requirePermissions(arrival)
    // Under a wrong organization the permissions are not known: they are requested again under the right one.
    held.catch(() => {})
    const project = await context.queryClient.ensureQueryData(projectQuery(context.api, params.projectId))
    const home = scopeToPath(project.organization_id ?? null)
    if (home === params.organizationId) return held
    // R5: opened under the wrong organization: redirects to the right one, query kept.
    const from = `/organizations/${params.organizationId}/`
    throw redirect({ href: location.href.replace(from, `/organizations/${home}/`), replace: true })
  },
  loader: lazyLoader(page),
  component: lazyPage(page),
  errorComponent: ProjectFailure,
})
