import { createFileRoute } from '@tanstack/react-router'
import type { DevicesSearch } from '../../../../../../../features/devices/list/devices-search'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchLists } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/devices/devices-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/')({
  staticData: { label: 'Devices' },
  validateSearch: searchLists<keyof DevicesSearch | 'view'>(),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
