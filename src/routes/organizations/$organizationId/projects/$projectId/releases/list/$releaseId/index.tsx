import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/')({
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status',
      params,
      search: true,
      replace: true,
    })
  },
})
