import { storageKeys } from '../../../src/lib/storage-keys'
import type { Hosts } from '../support/hosts'
import type { TestPage } from './test-page'
import { pageAt } from './request-script'

/**
 * Ends the session from another tab: only storage notifies the page. The sign-in host shows no page, so that the current one
 * can be checked.
 */
export const signOutElsewhere = async ({ context, wire }: TestPage, { console, signIn }: Hosts) => {
  await wire.always(pageAt(`${signIn}/`), 204)
  const tab = await context.newPage()
  // Any page of this origin has its storage; this one is not the app.
  await tab.goto(`${console}/assets/elsewhere`)
  await tab.evaluate((key) => localStorage.removeItem(key), storageKeys.session)
  await tab.close()
}

/** Disconnects and reconnects the network. */
export const reconnect = async ({ context }: TestPage) => {
  await context.setOffline(true)
  await context.setOffline(false)
}
