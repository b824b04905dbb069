import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../../features/releases/release-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')({
  loader: lazyLoader(page),
  component: lazyPage(page),
})
