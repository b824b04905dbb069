import { useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useSystem } from '../system'

/**
 * After leaving or deleting an organization (or, without one, another person's project): clears its data and navigates to a
 * page that still exists. The current scope is left first, otherwise its loss would be reported as unexpected.
 */
export const useLeaveOrganization = () => {
  const { organization } = useSystem()
  const { navigate } = useRouter()
  const client = useQueryClient()
  return async (organizationId: string | undefined): Promise<void> => {
    if (organizationId === undefined) {
      await navigate({ to: '/organizations/$organizationId/projects', params: { organizationId: 'none' }, replace: true })
      return client.invalidateQueries({ queryKey: ['projects'] })
    }
    if (organization.getSnapshot().context.scope === organizationId)
      organization.send({ type: 'organization.chosen', scope: null })
    else await navigate({ to: '/account/settings/organizations/list', replace: true })
    client.removeQueries({ queryKey: ['permissions', organizationId] })
    return client.invalidateQueries({ queryKey: ['organizations'] })
  }
}
