import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../system/page/lazy'

const page = () => import('../../../features/account/security-page')

export const Route = createFileRoute('/account/settings/security')({
  staticData: { label: 'Security' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
