import { array, type Infer, string, type } from 'superstruct'
import { endpoint, session } from '../core/endpoint'
import { Timestamp } from '../core/shapes'

/** §9: the questionnaire's record. */
export const onboardingKey = 'USER_ONBOARDING_INFO_COLLECTION'

/** The interstitials that the console has. Others are not recorded: a person could store any number of them. */
export const interstitialIds: readonly string[] = [onboardingKey]

export const Interstitial = type({ interstitial_id: string(), seen_at: Timestamp })
export type Interstitial = Infer<typeof Interstitial>

export const interstitials = endpoint({
  method: 'GET',
  path: '/interstitials',
  summary: 'List the interstitials that the user has seen (§7).',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ interstitials: array(Interstitial) }),
})

export const recordInterstitial = endpoint({
  method: 'POST',
  path: '/interstitials/:interstitialId',
  summary: 'Mark an interstitial as seen: 201 the first time, then 200 (§7).',
  needs: session,
  audit: 'none',
  rate: 'write',
  answer: Interstitial,
  status: 201,
  mayExist: true,
})
