import { createFileRoute } from '@tanstack/react-router'
import { organizationsQuery } from '../../../../../api/queries/accounts/organizations'
import { lazyPage } from '../../../../../system/page/lazy'

export const Route = createFileRoute('/account/settings/organizations/list/')({
  staticData: { label: 'Organizations' },
  loader: ({ context: { api, queryClient } }) => queryClient.ensureQueryData(organizationsQuery(api)),
  component: lazyPage(() => import('../../../../../features/organizations/organizations-page')),
})
