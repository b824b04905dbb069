import { queryOptions } from '@tanstack/react-query'
import { listSessions } from '../../../../contract/accounts/open-sessions'
import type { Api } from '../../client'

export const sessionsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) => (await api(listSessions, {}, { signal })).sessions,
  })
