import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/tags/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/projects/$projectId/tags/list', params, search: true, replace: true })
  },
})
