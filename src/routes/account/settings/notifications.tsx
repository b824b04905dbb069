import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../system/page/lazy'

const page = () => import('../../../features/account/notifications-page')

export const Route = createFileRoute('/account/settings/notifications')({
  staticData: { label: 'Notifications' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
