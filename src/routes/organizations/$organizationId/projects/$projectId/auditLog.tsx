import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../system/page/lazy'
import { searchTexts } from '../../../../../system/list/search-texts'

const page = () => import('../../../../../features/audit/audit-log-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/auditLog')({
  staticData: { needs: ['project:view_audit_log'], label: 'Audit Log' },
  validateSearch: searchTexts('q', 'from', 'to', 'action', 'actor_id', 'target_kind', 'target_id', 'result', 'entry'),
  loader: lazyLoader(page),
  component: lazyPage(page),
})
