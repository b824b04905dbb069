import { queryOptions } from '@tanstack/react-query'
import { keyRotation } from '../../../../contract/fleet/key-lists'
import type { Api } from '../../client'

export const keyRotationQuery = (api: Api, projectId: string) =>
  queryOptions({
    queryKey: ['signing-keys', projectId, 'rotation'],
    queryFn: ({ signal }) => api(keyRotation, { projectId }, { signal }),
  })
