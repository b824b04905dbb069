import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/lazy'
import { searchTexts } from '../../../../../../../../system/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs')({
  staticData: { label: 'System Logs' },
  validateSearch: searchTexts('q', 'level', 'unit', 'boot', 'from', 'to', 'at', 'line'),
  component: lazyPage(() => import('../../../../../../../../features/devices/system-logs-page')),
})
