import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/secure-boot')({
  staticData: { needs: ['project:view'] },
})
