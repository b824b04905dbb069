import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest'
import { lives } from '../../support/program'
import { type Browser, type BrowserContext, type Page, openBrowser } from './browser'
import { type Hosts, signInPages, startHosts, type Visitor } from './hosts'
import { note } from './kept'
import { createProfiles, type Profile } from './profiles'

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

type Started = { hosts: Hosts; profiles: ReturnType<typeof createProfiles> }

/** Of this worker: starting them takes longer than most tests. */
let browser: Browser | undefined
let shared: Started | undefined

const start = async (variables?: Record<string, string>): Promise<Started> => {
  const hosts = await startHosts(variables)
  if (!browser?.isConnected()) browser = await openBrowser()
  return { hosts, profiles: createProfiles(browser, [hosts.console, hosts.signIn]) }
}
const share = async (): Promise<Started> => {
  if (!shared || !lives(shared.hosts.remains.pid) || !browser?.isConnected()) {
    shared = await start()
    await note(inject('kept'), shared.hosts.remains)
  }
  return shared
}

/**
 * The built console, its hosts and a browser for the tests of one file. The hosts are shared with other files, unless variables are
 * given: a file that changes what belongs to a whole installation gives at least `{}`. What is opened is closed, and must have
 * reported no error.
 */
export const useConsole = (variables?: Record<string, string>): Console => {
  let hosts: Hosts
  let profiles: Started['profiles']
  const opened: Profile[] = []
  beforeAll(async () => {
    ;({ hosts, profiles } = await (variables ? start(variables) : share()))
  })
  afterEach(async ({ task }) => {
    const all = opened.splice(0)
    const [error] = task.result?.errors ?? []
    if (error) error.message += await describePages(all.flatMap(({ context }) => context.pages()))
    const complaints = all.flatMap((profile) => [...profile.complaints])
    await Promise.all(all.map((profile) => profile.giveBack()))
    expect(complaints).toEqual([])
  })
  afterAll(async () => {
    if (!variables) return
    await profiles?.close()
    await hosts?.stop()
  })
  return {
    hosts: () => hosts,
    open: async (visitor, kept) => {
      const profile = await profiles.take()
      opened.push(profile)
      if (visitor) await signInPages(profile.prepare, hosts, visitor, kept)
      return profile.context
    },
  }
}
