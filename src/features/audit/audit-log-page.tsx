import { getRouteApi } from '@tanstack/react-router'
import { auditLogQuery } from '../../api/queries/accounts/audit'
import type { LoaderArgs } from '../../system/scope/guard'
import { Page } from '../../ui/layout/page'
import { AuditLog } from './audit-log'
import { readAuditSearch } from './audit-search'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/auditLog')

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params: { projectId }, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(auditLogQuery(api, { projectId }, readAuditSearch({ ...location.search })))

export default function AuditLogPage() {
  const { projectId } = route.useParams()
  return (
    <Page>
      <AuditLog scope={{ projectId }} title="Audit Log" />
    </Page>
  )
}
