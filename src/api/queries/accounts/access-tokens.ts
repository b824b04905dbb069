import { queryOptions } from '@tanstack/react-query'
import { accessTokens } from '../../../../contract/accounts/access-tokens'
import type { Api } from '../../client'
import { readPages } from '../../read-pages'

export const accessTokensQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['access-tokens', projectId],
    queryFn: ({ signal }) =>
      readPages(
        (query) => api(accessTokens, { projectId }, { query, signal }),
        (page) => page.access_tokens,
      ),
  })
