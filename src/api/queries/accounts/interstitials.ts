import { queryOptions } from '@tanstack/react-query'
import { interstitials } from '../../../../contract/accounts/interstitials'
import type { Api } from '../../client'

export const interstitialsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['interstitials'],
    queryFn: async ({ signal }) => (await api(interstitials, {}, { signal })).interstitials,
  })
