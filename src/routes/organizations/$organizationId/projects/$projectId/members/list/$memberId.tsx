import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/members/project-member-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/members/list/$memberId')({
  staticData: { label: 'Member' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
