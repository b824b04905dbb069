import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../system/page/lazy'

export const Route = createFileRoute('/account/settings/organizations/list/$organizationId/summary')({
  component: lazyPage(() => import('../../../../../../features/organizations/organization-summary-page')),
})
