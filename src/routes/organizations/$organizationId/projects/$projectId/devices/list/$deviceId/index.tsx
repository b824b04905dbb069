import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/')({
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events',
      params,
      search: true,
      replace: true,
    })
  },
})
