import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/access_/webhooks')({
  staticData: { needs: ['project:update', 'device:view'], label: 'Webhooks' },
  validateSearch: searchTexts('webhook'),
  component: lazyPage(() => import('../../../../../../features/access/webhooks/webhooks-page')),
})
