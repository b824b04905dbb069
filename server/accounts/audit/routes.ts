import {
  exportAuditLog,
  exportOrganizationAuditLog,
  organizationAuditChain,
  organizationAuditLog,
  projectAuditChain,
  projectAuditLog,
} from '../../../contract/accounts/audit'
import { findAnchors } from '../../core/audit/anchor'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import { route } from '../../core/http/route'
import { getEnds, readChain } from './chain-page'
import { exported, type ExportScope } from './export'
import { readLog } from './list'
import type { LogKey } from './repository'

const types = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson; charset=utf-8' } as const

type ExportCall = Call<typeof exportAuditLog> | Call<typeof exportOrganizationAuditLog>

const sendExport = async ({ tx, deps, query, now, audit, reply }: ExportCall, log: LogKey, scope: ExportScope) => {
  const { format = 'ndjson', ...filters } = query
  const { head, checkpoint } = await getEnds(tx, log.chainId)
  const anchors = await findAnchors(deps.config.dataDirectory)
  audit({
    target: {
      kind: 'audit_log',
      id: 'project_id' in scope ? scope.project_id : scope.organization_id,
      name: `1–${head.sequence}, ${format}`,
    },
    changes: Object.entries(filters).map(([field, after]) => ({ field, before: null, after })),
  })
  reply.headers({
    'Content-Type': types[format],
    'Content-Disposition': `attachment; filename="audit-log-${now.toISOString().slice(0, 10)}.${format}"`,
  })
  // Uses the pool, because the transaction that writes the audit entry of this export ends before the first byte is sent.
  return exported(deps.db, { log, scope, filters, format, head, checkpoint, anchors })
}

export const auditRoutes = (api: Api): void => {
  route(api, organizationAuditLog, ({ tx, deps, organization, query }) =>
    readLog(tx, { chainId: organization.id, projectId: null }, deps.config.dataDirectory, query),
  )
  route(api, projectAuditLog, ({ tx, deps, place, project, query }) =>
    readLog(tx, { chainId: place.auditChainId, projectId: project.id }, deps.config.dataDirectory, query),
  )

  route(api, organizationAuditChain, ({ tx, deps, organization, query }) =>
    readChain(tx, { chainId: organization.id, projectId: null }, deps.config.dataDirectory, query),
  )
  route(api, projectAuditChain, ({ tx, deps, place, project, query }) =>
    readChain(tx, { chainId: place.auditChainId, projectId: project.id }, deps.config.dataDirectory, query),
  )

  route(api, exportOrganizationAuditLog, (call) => {
    const { id, publicId } = call.organization
    return sendExport(call, { chainId: id, projectId: null }, { organization_id: publicId })
  })
  route(api, exportAuditLog, (call) => {
    const { place, project } = call
    return sendExport(call, { chainId: place.auditChainId, projectId: project.id }, { project_id: project.id })
  })
}
