import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/releases/add-release-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/add')({
  staticData: { needs: ['project:manage_releases'], label: 'Add Release' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
