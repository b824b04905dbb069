import { queryOptions } from '@tanstack/react-query'
import { organizations } from '../../../../contract/accounts/organizations'
import type { Api } from '../../client'

export const organizationsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['organizations'],
    queryFn: async ({ signal }) => (await api(organizations, {}, { signal })).organizations,
  })
