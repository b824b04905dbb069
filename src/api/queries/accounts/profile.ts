import { queryOptions } from '@tanstack/react-query'
import { type Profile, profile } from '../../../../contract/accounts/profile'
import type { Api } from '../../client'
import { failureOf } from '../../failure'

/** The answers to the questionnaire; null if there are none yet. */
export const profileQuery = (api: Api) =>
  queryOptions({
    queryKey: ['user_profile'],
    queryFn: ({ signal }): Promise<Profile | null> =>
      api(profile, {}, { signal }).catch((error: unknown) =>
        failureOf(error)?.status === 404 ? null : Promise.reject(error as Error),
      ),
  })
