import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../system/page/lazy'

const page = () => import('../../../../../../features/devices/imports/import-devices-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/import')({
  staticData: { label: 'Import Devices' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
