import { queryOptions } from '@tanstack/react-query'
import { accessTokens } from '../../../contract/access-tokens'
import { listLimit } from '../../../contract/limits'
import type { Api } from '../client'

export const accessTokensQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['access-tokens', projectId],
    queryFn: async ({ signal }) =>
      (await api(accessTokens, { projectId }, { query: { limit: listLimit.max }, signal })).access_tokens,
  })
