import type { QueryClient } from '@tanstack/react-query'
import { type ActorRefFrom, createActor, fromPromise } from 'xstate'
import { type Choices, organizationMachine } from '../../../machines/organization/organization.machine'
import type { Api } from '../../api/client'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { permissionsQuery } from '../../api/queries/accounts/permissions'
import { projectsQuery } from '../../api/queries/accounts/projects'
import { selfQuery } from '../../api/queries/accounts/self'
import { actorOptions } from '../inspection'
import type { RememberedScope } from './remembered-scope'

export type OrganizationActor = ActorRefFrom<typeof organizationMachine>
type Parts = { api: Api; queryClient: QueryClient; remembered: RememberedScope }

export const createOrganization = ({ api, queryClient, remembered }: Parts): OrganizationActor => {
  const choices = async (): Promise<Choices> => {
    const [user, organizations] = await Promise.all([
      queryClient.fetchQuery(selfQuery(api)),
      queryClient.fetchQuery(organizationsQuery(api)),
    ])
    return { stored: remembered.read(user.id), organizations: organizations.map((one) => one.public_id) }
  }
  const grants = async ({ scope, fresh }: { scope: string; fresh: boolean }) => {
    const query = permissionsQuery(api, scope)
    const { queryKey } = query
    // A list that could not be reloaded no longer counts, also for a retry.
    if (fresh) await queryClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' })
    const doubted = queryClient.getQueryState(queryKey)?.isInvalidated
    await (doubted ? queryClient.fetchQuery({ ...query, staleTime: 0 }) : queryClient.ensureQueryData(query))
    // Data that depends on the former list, inside projects too, is requested again.
    if (fresh)
      await queryClient.invalidateQueries({
        queryKey: ['permissions', scope],
        predicate: ({ queryKey: [, , at] }) => at !== null,
      })
  }
  return createActor(
    organizationMachine.provide({
      actors: {
        choices: fromPromise(choices),
        grants: fromPromise(({ input }) => grants(input)),
        trial: fromPromise(async ({ input: { scope } }) => {
          await Promise.all([
            queryClient.fetchQuery({ ...permissionsQuery(api, scope), staleTime: 0 }),
            queryClient.fetchQuery({ ...projectsQuery(api, scope), staleTime: 0 }),
          ])
        }),
        session: fromPromise<void, void>(async () => {
          await queryClient.fetchQuery({ ...selfQuery(api), staleTime: 0 })
        }),
      },
      actions: {
        remember: ({ context }) => {
          const user = queryClient.getQueryData(selfQuery(api).queryKey)
          if (user) remembered.write(user.id, context.scope)
        },
      },
    }),
    actorOptions,
  )
}
