import { createFileRoute } from '@tanstack/react-router'
import { enterScope } from '../../../system/scope/guard'

export const Route = createFileRoute('/organizations/$organizationId')({
  beforeLoad: async (arrival) => {
    await enterScope(arrival)
  },
})
