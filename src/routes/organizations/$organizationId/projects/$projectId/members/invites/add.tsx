import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/members/invites/add')({
  staticData: { label: 'Invite people' },
  component: lazyPage(() => import('../../../../../../../features/members/add-project-invites-page')),
})
