import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../system/lazy'

export const Route = createFileRoute('/account/settings')({
  component: lazyPage(() => import('../../../features/shell/account-frame')),
})
