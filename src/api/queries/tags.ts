import { queryOptions } from '@tanstack/react-query'
import { listLimit } from '../../../contract/limits'
import { tags } from '../../../contract/tags'
import type { Api } from '../client'

export const tagsQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['tags', projectId],
    queryFn: async ({ signal }) => (await api(tags, { projectId }, { query: { limit: listLimit.max }, signal })).tags,
  })
