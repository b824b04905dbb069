import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../system/page/lazy'

const page = () => import('../../../features/subscriptions/subscriptions-page')

export const Route = createFileRoute('/account/settings/subscriptions')({
  staticData: { label: 'Subscriptions' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
