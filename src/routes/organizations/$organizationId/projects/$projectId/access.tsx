import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../system/page/lazy'
import { searchTexts } from '../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/access')({
  staticData: { label: 'Access' },
  validateSearch: searchTexts('rotate', 'renew', 'add'),
  component: lazyPage(() => import('../../../../../features/access/access-page')),
})
