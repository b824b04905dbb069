import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'
import { searchTexts } from '../../../../../../../../system/list/search-texts'

export const Route = createFileRoute(
  '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/log-summaries-plaintext',
)({
  staticData: { label: 'Log Summary' },
  validateSearch: searchTexts('summary'),
  component: lazyPage(() => import('../../../../../../../../features/log-summaries/log-summaries-plaintext-page')),
})
