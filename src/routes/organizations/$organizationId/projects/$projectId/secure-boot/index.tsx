import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot/')({
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/organizations/$organizationId/projects/$projectId/secure-boot/list',
      params,
      search: true,
      replace: true,
    })
  },
})
