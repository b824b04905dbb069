import { inviteListQuery } from '../../api/queries/members'
import type { Arrival } from '../../system/guard'
import { InviteList } from './invite-list'

export const load = ({ context: { api, queryClient }, params: { organizationId } }: Arrival<'organizationId'>) =>
  void queryClient.prefetchInfiniteQuery(inviteListQuery(api, { organizationId }))

export default function OrganizationInvitesPage() {
  return <InviteList />
}
