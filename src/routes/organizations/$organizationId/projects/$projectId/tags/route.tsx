import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/tags')({
  staticData: { needs: ['project:view'] },
})
