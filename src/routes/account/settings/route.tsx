import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../system/page/lazy'

export const Route = createFileRoute('/account/settings')({
  component: lazyPage(() => import('../../../features/shell/account-frame')),
})
