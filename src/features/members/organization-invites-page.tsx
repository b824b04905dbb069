import { inviteListQuery } from '../../api/queries/accounts/members'
import type { LoaderArgs } from '../../system/scope/guard'
import { InviteList } from './invite-list'

export const load = ({ context: { api, queryClient }, params: { organizationId } }: LoaderArgs<'organizationId'>) =>
  void queryClient.prefetchInfiniteQuery(inviteListQuery(api, { organizationId }))

export default function OrganizationInvitesPage() {
  return <InviteList />
}
