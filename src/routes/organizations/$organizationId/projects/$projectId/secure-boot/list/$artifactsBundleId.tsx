import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/secure-boot/bundle-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId')({
  staticData: { label: 'Bundle' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
