import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../../system/list/search-texts'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/compare')({
  staticData: { label: 'Compare' },
  validateSearch: searchTexts('with'),
  component: lazyPage(() => import('../../../../../../../../features/releases/compare-releases-page')),
})
