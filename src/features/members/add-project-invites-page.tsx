import { getRouteApi } from '@tanstack/react-router'
import { BackLink } from '../../system/page/back'
import { Page, PageHead } from '../../ui/layout/page'
import { InviteForm } from './invite-form'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/members/invites/add')
const place = '/organizations/$organizationId/projects/$projectId/members' as const

export default function AddProjectInvitesPage() {
  const params = route.useParams()
  const crumbs = [
    <BackLink key="members" to={`${place}/list`} params={params}>
      Members
    </BackLink>,
    <BackLink key="invites" to={`${place}/invites`} params={params}>
      Invites
    </BackLink>,
    'Invite people',
  ]
  return (
    <Page width="form">
      <PageHead title="Invite people" crumbs={crumbs} />
      <InviteForm defaultRole="viewer" />
    </Page>
  )
}
