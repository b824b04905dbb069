import { PostHog } from 'posthog-js/dist/module.slim.no-external'
import { labels } from 'virtual:static-labels'
import { storageKeys } from '../../lib/storage-keys'
import type { Environment } from '../environment'
import { buttonOf, labelOf } from './label'
import type { LoadedAnalytics, RouterView } from './lazy-analytics'
import { sent } from './sent'

const catalogue = new Set(labels)

/** No autocapture, recording, flags, surveys or remote configuration: only the two events below, without persons. */
const begin = ({ key, host }: NonNullable<Environment['analytics']>) =>
  new PostHog().init(key, {
    api_host: host,
    autocapture: false,
    capture_pageview: false,
    capture_pageleave: false,
    capture_heatmaps: false,
    capture_dead_clicks: false,
    capture_exceptions: false,
    capture_performance: false,
    rageclick: false,
    advanced_disable_flags: true,
    disable_session_recording: true,
    disable_surveys: true,
    disable_web_experiments: true,
    disable_external_dependency_loading: true,
    person_profiles: 'never',
    persistence: 'localStorage',
    persistence_name: storageKeys.analytics.replace(/^ph_/, ''),
    respect_dnt: true,
    // The analytics host filters bots, not this library.
    opt_out_useragent_filter: true,
    disable_compression: true,
    before_send: sent,
  })

/** §1: page views by route template, and a 'Click' with the button's label, with no other text of the page. */
export const createAnalytics = (settings: NonNullable<Environment['analytics']>, places: RouterView): LoadedAnalytics => {
  const posthog = begin(settings)
  const template = () => places.state.matches.at(-1)?.fullPath
  const view = () => void posthog.capture('$pageview', { template: template() })
  view()
  places.subscribe('onResolved', view)
  const clicked = (target: EventTarget | null) => {
    const button = buttonOf(target)
    if (button) posthog.capture('Click', { name: labelOf(button, catalogue), template: template() })
  }
  return { clicked, reset: () => posthog.reset(true) }
}
