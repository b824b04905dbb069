import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../../features/log-summaries/log-summaries-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/log-summaries')({
  staticData: { label: 'Log Summaries' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
