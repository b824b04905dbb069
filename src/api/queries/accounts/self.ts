import { queryOptions } from '@tanstack/react-query'
import { self } from '../../../../contract/accounts/users'
import type { Api } from '../../client'

/** §7: under the key 'self'; the field `data` is read. */
export const selfQuery = (api: Api) =>
  queryOptions({ queryKey: ['self'], queryFn: async ({ signal }) => (await api(self, {}, { signal })).data })
