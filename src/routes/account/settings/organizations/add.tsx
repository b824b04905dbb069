import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../system/page/lazy'

export const Route = createFileRoute('/account/settings/organizations/add')({
  staticData: { label: 'Add organization' },
  component: lazyPage(() => import('../../../../features/organizations/add-organization-page')),
})
