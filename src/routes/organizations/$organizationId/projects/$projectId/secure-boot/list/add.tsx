import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../system/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/list/add')({
  staticData: { needs: ['project:update'], label: 'Add Bundle' },
  component: lazyPage(() => import('../../../../../../../features/secure-boot/add-bundle-page')),
})
