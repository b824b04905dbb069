import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/tags/tags-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/tags/list/')({
  staticData: { label: 'Tags' },
  validateSearch: searchTexts('q', 'sort'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
