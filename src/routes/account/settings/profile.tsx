import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../system/page/lazy'

const page = () => import('../../../features/account/profile-page')

export const Route = createFileRoute('/account/settings/profile')({
  staticData: { label: 'Profile' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
