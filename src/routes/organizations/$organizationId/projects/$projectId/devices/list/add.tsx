import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/devices/form/add-device-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/add')({
  staticData: { needs: ['project:manage_devices'], label: 'Add Device' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
