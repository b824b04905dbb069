import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../system/page/lazy'

const page = () => import('../../../../../../features/configs/device-config-generator-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/device-config-generator')({
  staticData: { needs: ['project:manage_devices'], label: 'Config Generator' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
