import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/assets')({
  staticData: { label: 'Assets' },
  component: lazyPage(() => import('../../../../../../../../features/releases/release-assets-page')),
})
