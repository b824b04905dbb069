import { array, type Infer, string, type } from 'superstruct'
import { endpoint, session } from './endpoint'
import { Timestamp } from './shapes'

/** §9: the questionnaire's record. */
export const onboardingKey = 'USER_ONBOARDING_INFO_COLLECTION'

export const Interstitial = type({ interstitial_id: string(), seen_at: Timestamp })
export type Interstitial = Infer<typeof Interstitial>

export const interstitials = endpoint({
  method: 'GET',
  path: '/interstitials',
  summary: 'The interstitials this user has seen (§7).',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ interstitials: array(Interstitial) }),
})

export const recordInterstitial = endpoint({
  method: 'POST',
  path: '/interstitials/:interstitialId',
  summary: 'Marks one as seen: 201 the first time, 200 after that (§7).',
  needs: session,
  audit: 'none',
  rate: 'write',
  answer: Interstitial,
  status: 201,
})
