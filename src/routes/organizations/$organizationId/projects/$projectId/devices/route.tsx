import { createFileRoute } from '@tanstack/react-router'

export const Route = createFileRoute('/organizations/$organizationId/projects/$projectId/devices')({
  staticData: { needs: ['device:view'] },
})
