import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { planLimits } from '../../../contract/plans'
import { selfQuery } from '../../api/queries/self'
import { useSystem } from '../../system/system'
import { Page, PageHead } from '../../ui/page'
import { InviteForm } from './invite-form'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/members/invites/add')
const place = '/organizations/$organizationId/projects/$projectId/members' as const

export default function AddProjectInvitesPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const { data: self } = useQuery(selfQuery(api))
  const seats = self
    ? `The ${self.pricing_plan} plan has room for ${planLimits[self.pricing_plan].guests_per_project} guests.`
    : ''
  const crumbs = [
    <Link key="members" to={`${place}/list`} params={params}>
      Members
    </Link>,
    <Link key="invites" to={`${place}/invites`} params={params}>
      Invites
    </Link>,
    'Invite people',
  ]
  return (
    <Page width="form">
      <PageHead title="Invite people" crumbs={crumbs} />
      <InviteForm startRole="viewer" seats={seats} />
    </Page>
  )
}
