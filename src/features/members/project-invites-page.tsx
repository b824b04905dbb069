import { inviteListQuery } from '../../api/queries/accounts/members'
import type { LoaderArgs } from '../../system/scope/guard'
import { scopeFromPath } from '../../system/scope/scope'
import { memberScopeFrom } from './member-scope'
import { InviteList } from './invite-list'
import { ProjectPeople } from './project-people'

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'organizationId' | 'projectId'>) => {
  if (scopeFromPath(params.organizationId) === null)
    void queryClient.prefetchInfiniteQuery(inviteListQuery(api, memberScopeFrom(params)))
}

export default function ProjectInvitesPage() {
  return (
    <ProjectPeople>
      <InviteList />
    </ProjectPeople>
  )
}
