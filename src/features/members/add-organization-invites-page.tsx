import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { organizationQuery } from '../../api/queries/accounts/organization'
import { useSystem } from '../../system/system'
import { InviteForm } from './invite-form'

const route = getRouteApi('/account/settings/organizations/list/$organizationId/invites/add')

export default function AddOrganizationInvitesPage() {
  const { api } = useSystem()
  const { organizationId } = route.useParams()
  const { data: organization } = useSuspenseQuery(organizationQuery(api, organizationId))
  return <InviteForm defaultRole={organization.settings.default_role} />
}
