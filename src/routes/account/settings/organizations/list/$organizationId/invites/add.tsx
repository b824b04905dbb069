import { createFileRoute } from '@tanstack/react-router'
import { requirePermissions } from '../../../../../../../system/scope/guard'
import { lazyPage } from '../../../../../../../system/page/lazy'

export const Route = createFileRoute('/account/settings/organizations/list/$organizationId/invites/add')({
  staticData: { needs: ['organization:manage_members'], label: 'Invite people' },
  beforeLoad: async (arrival) => {
    await requirePermissions(arrival)
  },
  component: lazyPage(() => import('../../../../../../../features/members/add-organization-invites-page')),
})
