import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../system/list/search-texts'

const page = () => import('../../../../../../features/releases/components/find-components-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/components')({
  staticData: { label: 'Components' },
  validateSearch: searchTexts('q', 'version'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
