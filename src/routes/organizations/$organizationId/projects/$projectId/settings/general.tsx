import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/settings/general')({
  staticData: { needs: ['project:update'], label: 'General' },
  component: lazyPage(() => import('../../../../../../features/settings/project-settings-page')),
})
