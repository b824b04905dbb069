import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/lazy'
import { searchTexts } from '../../../../../../../../system/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events')({
  staticData: { label: 'Update Events' },
  validateSearch: searchTexts('type', 'period', 'change'),
  component: lazyPage(() => import('../../../../../../../../features/devices/update-events-page')),
})
