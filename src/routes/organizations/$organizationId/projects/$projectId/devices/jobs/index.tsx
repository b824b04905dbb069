import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/devices/bulk/jobs-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/jobs/')({
  staticData: { label: 'Bulk Changes' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
