import { queryOptions } from '@tanstack/react-query'
import { deviceImports } from '../../../../contract/fleet/device-imports'
import type { Api } from '../../client'

export const deviceImportsQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['device-imports', projectId],
    queryFn: async ({ signal }) => (await api(deviceImports, { projectId }, { signal })).imports,
  })
