import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/projects/$projectId/monitor', params, search: true, replace: true })
  },
})
