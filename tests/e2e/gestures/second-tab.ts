import { storageKeys } from '../../../src/lib/storage-keys'
import type { Hosts } from '../support/hosts'
import type { Stage } from './stage'
import { pageAt } from './request-script'

/** Another tab of this browser ends the session: its storage alone tells the page. Nobody arrives at sign-in, so that what stands here can be looked at. */
export const signOutElsewhere = async ({ context, wire }: Stage, { console, signIn }: Hosts) => {
  await wire.always(pageAt(`${signIn}/`), 204)
  const tab = await context.newPage()
  // Anything of this origin has its storage; this is not the app.
  await tab.goto(`${console}/assets/elsewhere`)
  await tab.evaluate((key) => localStorage.removeItem(key), storageKeys.session)
  await tab.close()
}

/** The line goes and comes back. */
export const reconnect = async ({ context }: Stage) => {
  await context.setOffline(true)
  await context.setOffline(false)
}
