import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../system/page/lazy'
import { searchTexts } from '../../../../../system/list/search-texts'

const page = () => import('../../../../../features/monitor/monitor-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/monitor')({
  staticData: { label: 'Monitor' },
  validateSearch: searchTexts('range', 'metrics', 'group', 'zoom'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
