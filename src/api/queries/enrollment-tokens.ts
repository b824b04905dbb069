import { queryOptions } from '@tanstack/react-query'
import { enrollmentTokens } from '../../../contract/access'
import { listLimit } from '../../../contract/limits'
import type { Api } from '../client'

export const enrollmentTokensQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['enrollment-tokens', projectId],
    queryFn: async ({ signal }) =>
      (await api(enrollmentTokens, { projectId }, { query: { limit: listLimit.max }, signal })).enrollment_tokens,
  })
