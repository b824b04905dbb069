import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../features/releases/rollouts/rollout-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId')({
  staticData: { label: 'Rollout' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
