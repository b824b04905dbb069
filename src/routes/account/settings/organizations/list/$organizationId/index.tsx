import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/account/settings/organizations/list/$organizationId/')({
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/account/settings/organizations/list/$organizationId/summary', params, search: true, replace: true })
  },
})
