import { queryOptions } from '@tanstack/react-query'
import { uploads } from '../../../../contract/updates/uploads'
import type { Api } from '../../client'

/** The caller's unfinished uploads, to continue them after a reload. */
export const openUploadsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['uploads', 'open'],
    queryFn: async ({ signal }) => (await api(uploads, {}, { query: { state: 'open' }, signal })).uploads,
    staleTime: 0,
  })
