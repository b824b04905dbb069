import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../system/page/lazy'

const page = () => import('../../../../../../features/members/project-members-frame')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/members')({
  loader: lazyLoader(page),
  component: lazyPage(page),
})
