import { queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../../contract/core/endpoint'
import type { SecureBootBundle } from '../../../../contract/updates/secure-boot/bundles'
import { fusePlan } from '../../../../contract/updates/secure-boot/fuse-plan'
import type { Api } from '../../client'

export type PlanQuestion = NonNullable<QueryOf<typeof fusePlan>>

/** A plan of exactly this revision and state of the bundle. */
export const fusePlanQuery = (api: Api, { id, revision, state }: SecureBootBundle, question: PlanQuestion) =>
  queryOptions({
    queryKey: ['bundle', id, 'fuse-plan', { revision, state, ...question }],
    queryFn: ({ signal }) => api(fusePlan, { bundleId: id }, { query: question, signal }),
  })
