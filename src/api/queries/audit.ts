import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { type AuditFilters, exportAuditLog, type exportFormats, projectAuditLog } from '../../../contract/audit'
import type { Api } from '../client'

/** Newest first, page by page; the values for filter menus come with the first page. */
export const auditLogQuery = (api: Api, projectId: string, filters: AuditFilters = {}) =>
  infiniteQueryOptions({
    queryKey: ['audit', projectId, filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(
        projectAuditLog,
        { projectId },
        { query: { ...filters, limit: 100, ...(pageParam !== undefined && { cursor: pageParam }) }, signal },
      ),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

/** The export of the filtered log. */
export const auditExport = async (
  api: Api,
  projectId: string,
  filters: AuditFilters,
  format: (typeof exportFormats)[number],
): Promise<Blob> => {
  const bytes = await api(exportAuditLog, { projectId }, { query: { ...filters, format } })
  return new Blob([bytes as ArrayBuffer]) // a binary answer is one ArrayBuffer
}
