import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Browser, type BrowserContext, type Page, openBrowser, openContext } from './browser'
import { type Hosts, openSignedIn, startHosts, type Visitor } from './hosts'

export type Console = {
  hosts: () => Hosts
  /** A new profile in which this person is signed in; without a person nobody is. */
  open: (visitor?: Visitor, kept?: Record<string, string>) => Promise<BrowserContext>
}

/** The address and the beginning of the text of each page: what a failed test last saw. */
const describePages = async (pages: readonly Page[]): Promise<string> => {
  const texts = pages.map(async (page) => {
    const text = await page.evaluate(() => document.body.innerText).catch(String)
    return `\npage ${page.url()}: ${text.replaceAll(/\s+/g, ' ').slice(0, 4000)}`
  })
  return (await Promise.all(texts)).join('')
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
  afterEach(async ({ task }) => {
    const all = opened.splice(0)
    const [error] = task.result?.errors ?? []
    if (error) error.message += await describePages(all.flatMap(({ context }) => context.pages()))
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
      opened.push(one)
      return one.context
    },
  }
}
