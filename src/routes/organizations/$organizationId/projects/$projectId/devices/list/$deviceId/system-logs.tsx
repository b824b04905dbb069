import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs')({
  staticData: { label: 'System Logs' },
  component: lazyPage(() => import('../../../../../../../../features/devices/system-logs-page')),
})
