import { queryOptions } from '@tanstack/react-query'
import type { QueryOf } from '../../../contract/endpoint'
import type { SecureBootBundle } from '../../../contract/secure-boot/bundles'
import { fusePlan } from '../../../contract/secure-boot/fuse-plan'
import type { Api } from '../client'

export type PlanQuestion = NonNullable<QueryOf<typeof fusePlan>>

/** A plan of exactly this revision and state of the bundle. */
export const fusePlanQuery = (api: Api, { id, revision, state }: SecureBootBundle, question: PlanQuestion) =>
  queryOptions({
    queryKey: ['bundle', id, 'fuse-plan', { revision, state, ...question }],
    queryFn: ({ signal }) => api(fusePlan, { bundleId: id }, { query: question, signal }),
  })
