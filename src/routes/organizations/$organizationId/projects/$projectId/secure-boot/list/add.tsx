import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/secure-boot/add-bundle-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/list/add')({
  staticData: { needs: ['project:update'], label: 'Add Bundle' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
