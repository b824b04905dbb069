import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/tags/list/add')({
  staticData: { label: 'Add Tag' },
  component: lazyPage(() => import('../../../../../../../features/tags/add-tag-page')),
})
