import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/members/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/projects/$projectId/members/list', params, search: true, replace: true })
  },
})
