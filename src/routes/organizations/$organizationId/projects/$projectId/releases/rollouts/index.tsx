import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/releases/rollouts/rollouts-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/rollouts/')({
  staticData: { label: 'Rollouts' },
  validateSearch: searchTexts('q', 'group'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
