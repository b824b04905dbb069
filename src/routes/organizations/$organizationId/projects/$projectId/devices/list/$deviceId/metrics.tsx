import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/lazy'
import { searchTexts } from '../../../../../../../../system/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/metrics')({
  staticData: { label: 'Metrics' },
  validateSearch: searchTexts('metric', 'range'),
  component: lazyPage(() => import('../../../../../../../../features/devices/metrics-page')),
})
