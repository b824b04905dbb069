import { exportAuditLog, organizationAuditLog, projectAuditLog } from '../../../contract/audit'
import type { Api } from '../../core/http/api'
import { route } from '../../core/http/route'
import { exported } from './export'
import { getHead, readLog } from './list'

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' } as const

export const auditRoutes = (api: Api): void => {
  route(api, organizationAuditLog, ({ tx, deps, organization, query }) =>
    readLog(tx, { chainId: organization.id, projectId: null }, deps.config.dataDirectory, query),
  )
  route(api, projectAuditLog, ({ tx, deps, place, project, query }) =>
    readLog(tx, { chainId: place.auditChainId, projectId: project.id }, deps.config.dataDirectory, query),
  )

  route(api, exportAuditLog, async ({ tx, deps, place, project, query, now, audit, reply }) => {
    const { format = 'ndjson', ...filters } = query
    const head = await getHead(tx, place.auditChainId)
    audit({
      target: { kind: 'audit_log', id: project.id, name: `1–${head.sequence}, ${format}` },
      changes: Object.entries(filters).map(([field, after]) => ({ field, before: null, after })),
    })
    reply.headers({
      'Content-Type': types[format],
      'Content-Disposition': `attachment; filename="audit-log-${now.toISOString().slice(0, 10)}.${format}"`,
    })
    // Uses the pool, because the transaction that writes the audit entry of this export ends before the first byte is sent.
    return exported(deps.db, { chainId: place.auditChainId, projectId: project.id, filters, format, head })
  })
}
