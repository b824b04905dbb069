import { queryOptions } from '@tanstack/react-query'
import { listLimit } from '../../../../contract/core/limits'
import { previewKeyRevocation, signingKeyCoverage, signingKeys } from '../../../../contract/fleet/keys'
import type { Api } from '../../client'

export const signingKeysQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['signing-keys', projectId],
    queryFn: async ({ signal }) =>
      (await api(signingKeys, { projectId }, { query: { limit: listLimit.max }, signal })).signing_keys,
  })

export const keyCoverageQuery = (api: Api, signingKeyId: string) =>
  queryOptions({
    queryKey: ['signing-key', signingKeyId, 'coverage'],
    queryFn: ({ signal }) => api(signingKeyCoverage, { signingKeyId }, { signal }),
    staleTime: 0,
  })

/** Always requested again: it is shown before an action that cannot be undone. */
export const keyRevocationQuery = (api: Api, signingKeyId: string) =>
  queryOptions({
    queryKey: ['signing-key', signingKeyId, 'revocation'],
    queryFn: ({ signal }) => api(previewKeyRevocation, { signingKeyId }, { signal }),
    staleTime: 0,
  })
