import { createFileRoute } from '@tanstack/react-router'
import { projectsQuery } from '../../../../api/queries/accounts/projects'
import ProjectsPage from '../../../../features/projects/projects-page'
import { FullFailurePage } from '../../../../features/session/failure-page'
import { scopeFromPath } from '../../../../system/scope/scope'

export const Route = createFileRoute('/organizations/$organizationId/projects/')({
  staticData: { label: 'Projects' },
  loader: ({ context: { api, queryClient }, params }) =>
    queryClient.ensureQueryData(projectsQuery(api, scopeFromPath(params.organizationId))),
  component: ProjectsPage,
  errorComponent: FullFailurePage,
})
