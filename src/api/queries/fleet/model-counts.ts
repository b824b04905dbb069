import { queryOptions } from '@tanstack/react-query'
import { modelCounts } from '../../../../contract/fleet/model-counts'
import type { Api } from '../../client'
import { every, paces } from '../../refresh'

/** The models of a project and its devices, for selection lists. */
export const modelCountsQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['model-counts', projectId],
    queryFn: async ({ signal }) => (await api(modelCounts, { projectId }, { signal })).hardware_models,
    refetchInterval: every(paces.list),
  })
