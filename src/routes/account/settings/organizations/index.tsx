import { createFileRoute, redirect } from '@tanstack/react-router'

export const Route = createFileRoute('/account/settings/organizations/')({
  beforeLoad: () => {
    throw redirect({ to: '/account/settings/organizations/list', search: true, replace: true })
  },
})
