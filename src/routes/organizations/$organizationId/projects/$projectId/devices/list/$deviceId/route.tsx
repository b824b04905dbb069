import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../../features/devices/device-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId')({
  loader: lazyLoader(page),
  component: lazyPage(page),
})
