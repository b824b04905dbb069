import { inviteListQuery } from '../../api/queries/members'
import type { Arrival } from '../../system/guard'
import { scopeOf } from '../../system/scope'
import { homeOf } from './home'
import { InviteList } from './invite-list'
import { ProjectPeople } from './project-people'

export const load = ({ context: { api, queryClient }, params }: Arrival<'organizationId' | 'projectId'>) => {
  if (scopeOf(params.organizationId) === null) void queryClient.prefetchInfiniteQuery(inviteListQuery(api, homeOf(params)))
}

export default function ProjectInvitesPage() {
  return (
    <ProjectPeople>
      <InviteList />
    </ProjectPeople>
  )
}
