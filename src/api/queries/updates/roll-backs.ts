import { queryOptions } from '@tanstack/react-query'
import { previewRollBack } from '../../../../contract/updates/roll-backs'
import type { Api } from '../../client'

/** What a rollback would do now: requested again each time the dialog opens. */
export const rollBackPreviewQuery = (api: Api, rolloutId: string) =>
  queryOptions({
    queryKey: ['rollout', rolloutId, 'roll-back'],
    queryFn: ({ signal }) => api(previewRollBack, { rolloutId }, { signal }),
    staleTime: 0,
  })
