import { organizationAuditLog, projectAuditLog } from '../../contract/audit'
import type { Api } from '../http/api'
import { route } from '../http/route'
import { listEntries } from './repository'

export const auditRoutes = (api: Api): void => {
  route(api, organizationAuditLog, ({ tx, organization, query }) => listEntries(tx, organization.id, null, query))
  route(api, projectAuditLog, ({ tx, place, project, query }) => listEntries(tx, place.space, project.id, query))
}
