import { createFileRoute } from '@tanstack/react-router'
import { sessionsQuery } from '../../../api/queries/sessions'
import { lazyPage } from '../../../system/lazy'

export const Route = createFileRoute('/account/settings/')({
  staticData: { label: 'Account' },
  loader: ({ context: { api, queryClient } }) => queryClient.ensureQueryData(sessionsQuery(api)),
  component: lazyPage(() => import('../../../features/account/account-page')),
})
