import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/system-logs')({
  staticData: { label: 'System Logs' },
  validateSearch: searchTexts('q', 'level', 'unit', 'boot', 'from', 'to', 'at', 'line'),
  component: lazyPage(() => import('../../../../../../../../features/devices/logs/system-logs-page')),
})
