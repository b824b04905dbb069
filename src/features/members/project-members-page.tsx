import { memberListQuery } from '../../api/queries/members'
import type { Arrival } from '../../system/guard'
import { scopeOf } from '../../system/scope'
import { homeOf } from './home'
import { MemberList } from './member-list'
import { ProjectPeople, useProjectName } from './project-people'

export const load = ({ context: { api, queryClient }, params }: Arrival<'organizationId' | 'projectId'>) => {
  if (scopeOf(params.organizationId) === null) void queryClient.prefetchInfiniteQuery(memberListQuery(api, homeOf(params)))
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
