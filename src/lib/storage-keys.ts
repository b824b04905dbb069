/** Every key this origin keeps in the browser. */
export const storageKeys = {
  session: 'session_token',
  organization: 'organization',
  recent: 'recent_places',
  theme: 'theme',
  /** Named by the library that fills it: `ph_` and a name. */
  analytics: 'ph_teasel',
  onboarding: 'USER_ONBOARDING_INFO_COLLECTION',
} as const
