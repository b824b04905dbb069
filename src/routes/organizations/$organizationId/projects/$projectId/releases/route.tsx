import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/releases')({
  staticData: { needs: ['project:view'] },
})
