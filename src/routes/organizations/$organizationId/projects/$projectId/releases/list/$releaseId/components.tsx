import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/components')({
  staticData: { label: 'Components' },
  validateSearch: searchTexts('q'),
  component: lazyPage(() => import('../../../../../../../../features/releases/components/release-components-page')),
})
