import { createFileRoute } from '@tanstack/react-router'
import { lazyPage } from '../../../../../../system/page/lazy'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/access_/key-rotation')({
  staticData: { needs: ['device:view'], label: 'Key rotation' },
  component: lazyPage(() => import('../../../../../../features/access/keys/key-rotation-page')),
})
