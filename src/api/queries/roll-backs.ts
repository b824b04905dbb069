import { queryOptions } from '@tanstack/react-query'
import { previewRollBack } from '../../../contract/roll-backs'
import type { Api } from '../client'

/** What rolling back would do at this moment: asked anew each time somebody is about to. */
export const rollBackPreviewQuery = (api: Api, rolloutId: string) =>
  queryOptions({
    queryKey: ['rollout', rolloutId, 'roll-back'],
    queryFn: ({ signal }) => api(previewRollBack, { rolloutId }, { signal }),
    staleTime: 0,
  })
