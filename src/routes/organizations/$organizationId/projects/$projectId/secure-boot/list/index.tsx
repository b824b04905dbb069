import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../system/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/list/')({
  staticData: { label: 'Secure Boot' },
  component: lazyPage(() => import('../../../../../../../features/secure-boot/bundles-page')),
})
