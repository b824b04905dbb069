import { createFileRoute } from '@tanstack/react-router'
import { requirePermissions } from '../../../../../../system/scope/guard'
import { lazyLoader, lazyPage } from '../../../../../../system/page/lazy'

const page = () => import('../../../../../../features/organizations/organization-page')

export const Route = createFileRoute('/account/settings/organizations/list/$organizationId')({
  staticData: { needs: ['organization:view'], label: 'Organization' },
  beforeLoad: async (arrival) => {
    await requirePermissions(arrival)
  },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
