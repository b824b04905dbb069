import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/organizations/$organizationId/projects', params, search: true, replace: true })
  },
})
