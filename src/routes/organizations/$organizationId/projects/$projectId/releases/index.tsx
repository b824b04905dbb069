import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/')({
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/organizations/$organizationId/projects/$projectId/releases/list',
      params,
      search: true,
      replace: true,
    })
  },
})
