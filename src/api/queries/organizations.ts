import { queryOptions } from '@tanstack/react-query'
import { organization, organizations } from '../../../contract/organizations'
import type { Api } from '../client'

export const organizationsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['organizations'],
    queryFn: async ({ signal }) => (await api(organizations, {}, { signal })).organizations,
  })

export const organizationQuery = (api: Api, organizationId: string) =>
  queryOptions({
    queryKey: ['organization', organizationId],
    queryFn: ({ signal }) => api(organization, { organizationId }, { signal }),
  })
