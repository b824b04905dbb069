import { createFileRoute } from '@tanstack/react-router'
import { FullFailurePage } from '../../../../features/session/failure-page'
import { lazyPage } from '../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/add')({
  staticData: { needs: ['project:create'], label: 'Add Project' },
  component: lazyPage(() => import('../../../../features/projects/add-project-page')),
  errorComponent: FullFailurePage,
})
