import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../system/list/search-texts'

const page = () => import('../../../../../../features/members/organization-members-page')

export const Route = createFileRoute('/account/settings/organizations/list/$organizationId/members')({
  staticData: { label: 'Members' },
  validateSearch: searchTexts('q'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
