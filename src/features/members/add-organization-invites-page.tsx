import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { planLimits } from '../../../contract/plans'
import { organizationQuery } from '../../api/queries/organization'
import { useSystem } from '../../system/system'
import { InviteForm } from './invite-form'

const route = getRouteApi('/account/settings/organizations/list/$organizationId/invites/add')

/** product.md 4.8: the limit and what is used are told before they are met. */
export default function AddOrganizationInvitesPage() {
  const { api } = useSystem()
  const { organizationId } = route.useParams()
  const { data: organization } = useSuspenseQuery(organizationQuery(api, organizationId))
  const { plan, member_count: used, settings } = organization
  const seats = `${used} of ${planLimits[plan].members} seats of the ${plan} plan are taken.`
  return <InviteForm startRole={settings.default_role} seats={seats} />
}
