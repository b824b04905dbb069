import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status')({
  staticData: { label: 'Status' },
  component: lazyPage(() => import('../../../../../../../../features/releases/release-status-page')),
})
