import { queryOptions } from '@tanstack/react-query'
import { previewBundleRevocation } from '../../../../contract/updates/secure-boot/revocation'
import type { Api } from '../../client'

/** Requested again for each question: rollouts begin and end meanwhile. */
export const bundleRevocationQuery = (api: Api, bundleId: string) =>
  queryOptions({
    queryKey: ['bundle', bundleId, 'revocation'],
    queryFn: ({ signal }) => api(previewBundleRevocation, { bundleId }, { signal }),
    staleTime: 0,
  })
