import { mutationOptions } from '@tanstack/react-query'
import { onboardingKey, recordInterstitial } from '../../../../contract/accounts/interstitials'
import { type ProfileForm, saveProfile } from '../../../../contract/accounts/profile'
import type { Api } from '../../client'
import { interstitialsQuery } from '../../queries/accounts/interstitials'

/** §7: records that the questionnaire was seen, permanently. */
export const recordQuestionnaireMutation = (api: Api) =>
  mutationOptions({
    mutationFn: () => api(recordInterstitial, { interstitialId: onboardingKey }),
    onSuccess: (record, _input, _kept, { client }) =>
      client.setQueryData(interstitialsQuery(api).queryKey, (before = []) => [...before, record]),
  })

export const saveProfileMutation = (api: Api) =>
  mutationOptions({ mutationFn: (body: ProfileForm) => api(saveProfile, {}, { body }) })
