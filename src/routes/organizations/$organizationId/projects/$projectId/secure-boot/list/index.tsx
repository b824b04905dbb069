import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../system/list/search-texts'

const page = () => import('../../../../../../../features/secure-boot/bundles-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/list/')({
  staticData: { label: 'Secure Boot' },
  validateSearch: searchTexts('q', 'state', 'platform', 'hardware_model'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
