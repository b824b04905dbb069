import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/devices/bulk/job-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/jobs/$jobId')({
  staticData: { label: 'Bulk Change' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
