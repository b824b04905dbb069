import { memberListQuery } from '../../api/queries/accounts/members'
import type { LoaderArgs } from '../../system/scope/guard'
import { scopeFromPath } from '../../system/scope/scope'
import { memberScopeFrom } from './member-scope'
import { MemberList } from './member-list'
import { ProjectPeople, useProjectName } from './project-people'

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'organizationId' | 'projectId'>) => {
  if (scopeFromPath(params.organizationId) === null)
    void queryClient.prefetchInfiniteQuery(memberListQuery(api, memberScopeFrom(params)))
}

/** The owner of a personal project and its guests. */
export default function ProjectMembersPage() {
  const name = useProjectName()
  return (
    <ProjectPeople>
      <MemberList place={name} />
    </ProjectPeople>
  )
}
