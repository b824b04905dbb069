import { queryOptions } from '@tanstack/react-query'
import { emailChange } from '../../../../contract/accounts/email-change'
import type { Api } from '../../client'

/** Under the key of the user: a change that has taken effect changes their address. */
export const emailChangeQuery = (api: Api) =>
  queryOptions({
    queryKey: ['self', 'email-change'],
    queryFn: async ({ signal }) => (await api(emailChange, {}, { signal })).change,
  })
