import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/commands')({
  staticData: { label: 'Commands' },
  component: lazyPage(() => import('../../../../../../../../features/devices/actions/commands-page')),
})
