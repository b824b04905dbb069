import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/settings/')({
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/organizations/$organizationId/projects/$projectId/settings/general',
      params,
      search: true,
      replace: true,
    })
  },
})
