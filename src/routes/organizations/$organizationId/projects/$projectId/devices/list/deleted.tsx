import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/devices/list/deleted-devices-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/deleted')({
  staticData: { label: 'Deleted Devices' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
