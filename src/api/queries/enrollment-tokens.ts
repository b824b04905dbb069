import { queryOptions } from '@tanstack/react-query'
import { enrollmentTokens, previewTokenRevocation } from '../../../contract/access'
import { listLimit } from '../../../contract/limits'
import type { Api } from '../client'

export const enrollmentTokensQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['enrollment-tokens', projectId],
    queryFn: async ({ signal }) =>
      (await api(enrollmentTokens, { projectId }, { query: { limit: listLimit.max }, signal })).enrollment_tokens,
  })

/** Requested again for each question: devices register and get tokens of their own meanwhile. */
export const tokenRevocationQuery = (api: Api, enrollmentTokenId: string) =>
  queryOptions({
    queryKey: ['token-revocation', enrollmentTokenId],
    queryFn: ({ signal }) => api(previewTokenRevocation, { enrollmentTokenId }, { signal }),
    staleTime: 0,
  })
