/** All keys of this origin in web storage. */
export const storageKeys = {
  session: 'session_token',
  organization: 'organization',
  recent: 'recent_places',
  theme: 'theme',
  refresh: 'refresh_interval',
  /** Named by the analytics library: `ph_` and a name. */
  analytics: 'ph_teasel',
  onboarding: 'USER_ONBOARDING_INFO_COLLECTION',
  setupHidden: 'setup_hidden',
  deviceLayouts: 'device_layouts',
  monitorMetrics: 'monitor_metrics',
} as const
