import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events')({
  staticData: { label: 'Update Events' },
  component: lazyPage(() => import('../../../../../../../../features/devices/update-events-page')),
})
