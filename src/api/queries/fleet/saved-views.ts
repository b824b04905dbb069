import { queryOptions } from '@tanstack/react-query'
import { savedViews } from '../../../../contract/fleet/saved-views'
import type { Api } from '../../client'

export const savedViewsQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['saved-views', projectId],
    queryFn: async ({ signal }) => (await api(savedViews, { projectId }, { signal })).saved_views,
  })
