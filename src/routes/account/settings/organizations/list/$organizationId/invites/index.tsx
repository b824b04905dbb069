import { createFileRoute } from '@tanstack/react-router'
import { requirePermissions } from '../../../../../../../system/scope/guard'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/members/organization-invites-page')

export const Route = createFileRoute('/account/settings/organizations/list/$organizationId/invites/')({
  staticData: { needs: ['organization:manage_members'], label: 'Invites' },
  validateSearch: searchTexts('q'),
  beforeLoad: async (arrival) => {
    await requirePermissions(arrival)
  },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
