import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/metrics')({
  staticData: { label: 'Metrics' },
  validateSearch: searchTexts('metric', 'range'),
  component: lazyPage(() => import('../../../../../../../../features/devices/metrics/metrics-page')),
})
