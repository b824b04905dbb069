import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/lazy'
import { searchTexts } from '../../../../../../../system/search-texts'

const page = () => import('../../../../../../../features/devices/devices-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/')({
  staticData: { label: 'Devices' },
  validateSearch: searchTexts('q', 'sort', 'connectivity', 'update', 'health', 'version', 'tag', 'hardware_model', 'import_id'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
