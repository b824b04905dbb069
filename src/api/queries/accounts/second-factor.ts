import { queryOptions } from '@tanstack/react-query'
import { secondFactor } from '../../../../contract/accounts/account'
import type { Api } from '../../client'

export const secondFactorQuery = (api: Api) =>
  queryOptions({ queryKey: ['self', 'totp'], queryFn: ({ signal }) => api(secondFactor, {}, { signal }) })
