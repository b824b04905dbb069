import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/details')({
  staticData: { label: 'Details' },
  component: lazyPage(() => import('../../../../../../../../features/devices/details/details-page')),
})
