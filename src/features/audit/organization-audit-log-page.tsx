import { getRouteApi } from '@tanstack/react-router'
import { auditLogQuery } from '../../api/queries/accounts/audit'
import type { LoaderArgs } from '../../system/scope/guard'
import { AuditLog } from './audit-log'
import { readAuditSearch } from './audit-search'

const route = getRouteApi('/account/settings/organizations/list/$organizationId/audit-log')

export const load = ({ context: { api, queryClient }, params: { organizationId }, location }: LoaderArgs<'organizationId'>) =>
  void queryClient.prefetchInfiniteQuery(auditLogQuery(api, { organizationId }, readAuditSearch({ ...location.search })))

/** The audit log of an organization: its own actions and those in its projects. */
export default function OrganizationAuditLogPage() {
  const { organizationId } = route.useParams()
  return <AuditLog scope={{ organizationId }} />
}
