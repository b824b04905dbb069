import { type Browser, type BrowserContext, openContext } from './browser'

/** What a test changes of its profile by these is not taken back: it gets no other user. */
const lasting = [
  'addCookies',
  'addInitScript',
  'close',
  'exposeBinding',
  'exposeFunction',
  'grantPermissions',
  'newCDPSession',
  'on',
  'once',
  'route',
  'setExtraHTTPHeaders',
  'setOffline',
] as const

export type Profile = {
  context: BrowserContext
  complaints: string[]
  /** As `context.addInitScript`, until the profile is given back. */
  prepare: BrowserContext['addInitScript']
  /** Closes its pages. */
  giveBack: () => Promise<void>
}

const createProfile = async (browser: Browser) => {
  const { context, complaints } = await openContext(browser)
  const [addInitScript, newCDPSession] = [context.addInitScript.bind(context), context.newCDPSession.bind(context)]
  const scripts: Awaited<ReturnType<typeof addInitScript>>[] = []
  const state = { changed: false }
  for (const name of lasting) {
    const call: unknown = Reflect.get(context, name)
    if (typeof call !== 'function') throw new Error(`A profile has no ${name}.`)
    const value = (...args: unknown[]): unknown => {
      state.changed = true
      return Reflect.apply(call, context, args)
    }
    Object.defineProperty(context, name, { value })
  }
  const prepare: typeof addInitScript = async (script, ...args) => {
    const added = await addInitScript(script, ...args)
    scripts.push(added)
    return added
  }
  /** Leaves the cache. A page of the console would write again what is deleted: an empty one is opened for it. */
  const empty = async (origins: readonly string[]) => {
    await Promise.all(context.pages().map((page) => page.close()))
    for (const script of scripts.splice(0)) await script.dispose()
    const page = await context.newPage()
    const session = await newCDPSession(page)
    for (const origin of origins)
      await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage,indexeddb' })
    await context.clearCookies()
    await page.close()
    complaints.length = 0
  }
  return { context, complaints, prepare, state, empty }
}

/**
 * New profiles in their cookies and storage only: those that others gave back have the files of the console in their cache, and load
 * its pages in a third of the time.
 */
export const createProfiles = (browser: Browser, origins: readonly string[]) => {
  const free: Awaited<ReturnType<typeof createProfile>>[] = []
  const take = async (): Promise<Profile> => {
    const profile = free.pop() ?? (await createProfile(browser))
    const { context, complaints, prepare, state, empty } = profile
    const giveBack = async () => {
      if (state.changed) return context.close()
      await empty(origins)
      free.push(profile)
    }
    return { context, complaints, prepare, giveBack }
  }
  const close = async () => {
    await Promise.all(free.splice(0).map(({ context }) => context.close()))
  }
  return { take, close }
}
