import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../system/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/access')({
  staticData: { label: 'Access' },
  component: lazyPage(() => import('../../../../../features/access/access-page')),
})
