import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/projects/$projectId/devices/list', params, search: true, replace: true })
  },
})
