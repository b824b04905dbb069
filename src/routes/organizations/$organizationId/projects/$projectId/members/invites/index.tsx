import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/members/project-invites-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/members/invites/')({
  staticData: { label: 'Invites' },
  validateSearch: searchTexts('q'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
