import { queryOptions } from '@tanstack/react-query'
import { listLimit } from '../../../contract/limits'
import { signingKeys } from '../../../contract/keys'
import type { Api } from '../client'

export const signingKeysQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['signing-keys', projectId],
    queryFn: async ({ signal }) =>
      (await api(signingKeys, { projectId }, { query: { limit: listLimit.max }, signal })).signing_keys,
  })
