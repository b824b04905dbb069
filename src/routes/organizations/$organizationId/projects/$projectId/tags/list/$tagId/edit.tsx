import { createFileRoute } from '@tanstack/react-router'
import { lazyLoader, lazyPage } from '../../../../../../../../system/page/lazy'

const page = () => import('../../../../../../../../features/tags/edit-tag-page')

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/tags/list/$tagId/edit')({
  staticData: { label: 'Edit Tag' },
  loader: lazyLoader(page),
  component: lazyPage(page),
})
