import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../system/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId')({
  staticData: { label: 'Bundle' },
  component: lazyPage(() => import('../../../../../../../features/secure-boot/bundle-page')),
})
