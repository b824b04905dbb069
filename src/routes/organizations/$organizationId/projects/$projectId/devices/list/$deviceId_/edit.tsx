import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../../features/devices/form/edit-device-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId_/edit')({
  staticData: { needs: ['project:manage_devices'], label: 'Edit Device' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
