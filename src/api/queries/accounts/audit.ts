import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import {
  type AuditChainPage,
  type AuditFilters,
  exportAuditLog,
  exportOrganizationAuditLog,
  type exportFormats,
  organizationAuditChain,
  organizationAuditLog,
  projectAuditChain,
  projectAuditLog,
} from '../../../../contract/accounts/audit'
import type { Api } from '../../client'

/** The project, or the organization with all its projects, whose log is read. */
export type AuditScope = { organizationId: string } | { projectId: string }

/** Newest first, page by page; the values for filter menus come with the first page. */
export const auditLogQuery = (api: Api, scope: AuditScope, filters: AuditFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['audit', scope, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filters, limit: 100, ...(pageParam !== undefined && { cursor: pageParam }) }
      return 'projectId' in scope
        ? api(projectAuditLog, scope, { query, signal })
        : api(organizationAuditLog, scope, { query, signal })
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

/** The entries of the chain after one of them, oldest first. */
export const readAuditChain = (api: Api, scope: AuditScope, after: number, signal: AbortSignal): Promise<AuditChainPage> =>
  'projectId' in scope
    ? api(projectAuditChain, scope, { query: { after }, signal })
    : api(organizationAuditChain, scope, { query: { after }, signal })

/** The export of the filtered log. */
export const auditExport = async (
  api: Api,
  scope: AuditScope,
  filters: AuditFilters,
  format: (typeof exportFormats)[number],
): Promise<Blob> => {
  const query = { ...filters, format }
  const bytes = await ('projectId' in scope
    ? api(exportAuditLog, scope, { query })
    : api(exportOrganizationAuditLog, scope, { query }))
  return new Blob([bytes as ArrayBuffer]) // a binary answer is one ArrayBuffer
}
