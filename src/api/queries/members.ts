import { queryOptions } from '@tanstack/react-query'
import { listLimit } from '../../../contract/limits'
import { members } from '../../../contract/members'
import type { Api } from '../client'

export const membersQuery = (api: Api, organizationId: string) =>
  queryOptions({
    queryKey: ['members', organizationId],
    queryFn: async ({ signal }) => (await api(members, { organizationId }, { query: { limit: listLimit.max }, signal })).members,
  })
