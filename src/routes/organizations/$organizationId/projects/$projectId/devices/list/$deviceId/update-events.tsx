import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events')({
  staticData: { label: 'Update Events' },
  validateSearch: searchTexts('type', 'period', 'change'),
  component: lazyPage(() => import('../../../../../../../../features/devices/updates/update-events-page')),
})
