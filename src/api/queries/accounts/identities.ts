import { queryOptions } from '@tanstack/react-query'
import { listIdentities } from '../../../../contract/accounts/identities'
import type { Api } from '../../client'

export const identitiesQuery = (api: Api) =>
  queryOptions({ queryKey: ['self', 'identities'], queryFn: ({ signal }) => api(listIdentities, {}, { signal }) })
