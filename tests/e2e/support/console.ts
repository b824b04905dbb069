import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Browser, type BrowserContext, openBrowser, openContext } from './browser'
import { type Hosts, openSignedIn, startHosts, type Visitor } from './hosts'

export type Console = {
  hosts: () => Hosts
  /** A new profile in which this person is signed in; without a person nobody is. */
  open: (visitor?: Visitor, kept?: Record<string, string>) => Promise<BrowserContext>
}

/**
 * The built console, its hosts and a browser for the tests of one file. Everything opened is closed, and must have reported no
 * error.
 */
export const useConsole = (variables?: Record<string, string>): Console => {
  let hosts: Hosts
  let browser: Browser
  const opened: Awaited<ReturnType<typeof openContext>>[] = []
  beforeAll(async () => {
    hosts = await startHosts(variables)
    browser = await openBrowser()
  })
  afterEach(async () => {
    const all = opened.splice(0)
    await Promise.all(all.map(({ context }) => context.close()))
    expect(all.flatMap(({ complaints }) => complaints)).toEqual([])
  })
  afterAll(async () => {
    await browser?.close()
    await hosts?.stop()
  })
  return {
    hosts: () => hosts,
    open: async (visitor, kept) => {
      const one = await (visitor ? openSignedIn(browser, hosts, visitor, kept) : openContext(browser))
      one.context.setDefaultTimeout(30_000)
      opened.push(one)
      return one.context
    },
  }
}
