import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/releases/releases-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/')({
  staticData: { label: 'Releases' },
  validateSearch: searchTexts('q'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
