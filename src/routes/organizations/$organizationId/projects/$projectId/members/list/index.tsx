import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/members/project-members-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/members/list/')({
  staticData: { label: 'Members' },
  validateSearch: searchTexts('q'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
