import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { memberListQuery } from '../../api/queries/accounts/members'
import { organizationQuery } from '../../api/queries/accounts/organization'
import type { LoaderArgs } from '../../system/scope/guard'
import { useSystem } from '../../system/system'
import { AccessRequests } from './access-requests'
import { MemberList } from './member-list'

const route = getRouteApi('/account/settings/organizations/list/$organizationId/members')

export const load = ({ context: { api, queryClient }, params: { organizationId } }: LoaderArgs<'organizationId'>) =>
  void queryClient.prefetchInfiniteQuery(memberListQuery(api, { organizationId }))

/** The members of an organization, and their access requests. */
export default function OrganizationMembersPage() {
  const { api } = useSystem()
  const { organizationId } = route.useParams()
  const { data: organization } = useSuspenseQuery(organizationQuery(api, organizationId))
  return (
    <>
      <AccessRequests organizationId={organizationId} />
      <MemberList place={organization.name} />
    </>
  )
}
