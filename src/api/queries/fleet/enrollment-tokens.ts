import { queryOptions } from '@tanstack/react-query'
import { enrollmentTokens, previewTokenRevocation } from '../../../../contract/fleet/enrollment-tokens'
import type { Api } from '../../client'
import { readPages } from '../../read-pages'

export const enrollmentTokensQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['enrollment-tokens', projectId],
    queryFn: ({ signal }) =>
      readPages(
        (query) => api(enrollmentTokens, { projectId }, { query, signal }),
        (page) => page.enrollment_tokens,
      ),
  })

/** Requested again for each question: devices register and get tokens of their own meanwhile. */
export const tokenRevocationQuery = (api: Api, enrollmentTokenId: string) =>
  queryOptions({
    queryKey: ['token-revocation', enrollmentTokenId],
    queryFn: ({ signal }) => api(previewTokenRevocation, { enrollmentTokenId }, { signal }),
    staleTime: 0,
  })
