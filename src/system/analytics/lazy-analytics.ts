import { storageKeys } from '../../lib/storage-keys'
import type { Environment } from '../environment'
import type { FirstPage } from '../list/first-page'

/** What analytics need from the router: the template of the page, never its URL (T-26). */
export type RouterView = {
  state: { matches: readonly { fullPath: string }[] }
  subscribe: (event: 'onResolved', moved: () => void) => unknown
}
export type LoadedAnalytics = { clicked: (target: EventTarget | null) => void; reset: () => void }
export type Analytics = { follow: (places: RouterView) => void; reset: () => void }

const forget = () => {
  try {
    localStorage.removeItem(storageKeys.analytics)
  } catch {
    // Storage that cannot be read has nothing.
  }
}

/** §1, R25: loads after the first screen, only with a key and a host, and not where the browser asks for privacy. */
export const createLazyAnalytics = ({ analytics }: Environment, firstPage: FirstPage): Analytics => {
  let loaded: LoadedAnalytics | undefined
  const early: (EventTarget | null)[] = []
  const load = async (settings: NonNullable<Environment['analytics']>, places: RouterView) => {
    // One listener for all buttons; clicks before the library has loaded are queued.
    addEventListener('click', ({ target }) => (loaded ? loaded.clicked(target) : early.push(target)), true)
    await firstPage.settled
    loaded = (await import('./analytics')).createAnalytics(settings, places)
    early.splice(0).forEach(loaded.clicked)
  }
  return {
    follow: (places) => {
      const refused = 'globalPrivacyControl' in navigator && navigator.globalPrivacyControl === true
      // F-30: everything works without analytics.
      if (analytics && !refused) load(analytics, places).catch(() => {})
    },
    reset: () => (loaded ? loaded.reset() : forget()),
  }
}
