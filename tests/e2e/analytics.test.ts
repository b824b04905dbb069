import type { Request, Response } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createSession, tokenPattern } from '../../contract/accounts/sessions'
import { storageKeys } from '../../src/lib/storage-keys'
import { scriptPath } from './gestures/request-script'
import { type Browser, type BrowserContext, openBrowser, openContext, type Page } from './support/browser'
import { call } from './support/call'
import { startCapture } from './support/capture'
import { type Hosts, newUser, openSignedIn, startHosts } from './support/hosts'
import { signIn } from './support/people'

type Capture = Awaited<ReturnType<typeof startCapture>>
let capture: Capture, hosts: Hosts, browser: Browser
const open = async (variables: (capture: Capture) => Record<string, string>) => {
  capture = await startCapture()
  hosts = await startHosts(variables(capture))
  browser = await openBrowser()
}
afterEach(async () => {
  await browser?.close()
  await hosts?.stop()
  await capture?.stop()
})

const named = (name: string) => capture.events().filter(({ event, properties }) => event === 'Click' && properties.name === name)
const viewed = () => capture.events().flatMap(({ event, properties }) => (event === '$pageview' ? [properties.$pathname] : []))
const soon = { interval: 100 }

describe('product analytics', () => {
  it('are not loaded without a key', async () => {
    await open(() => ({}))
    const { context, complaints } = await openSignedIn(browser, hosts, await newUser(hosts))
    const page = await context.newPage()
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    const policy = page.waitForResponse((response) => response.url().startsWith(hosts.console))
    await page.goto(hosts.console)
    expect((await policy).headers()['content-security-policy']).not.toContain(capture.origin)
    await page.getByRole('link', { name: 'Add Project' }).first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    // The chunks after the first screen have loaded: the questionnaire asks whether it was seen.
    await expect.poll(() => scripts.some((url) => url.endsWith('/interstitials')), soon).toBe(true)
    await context.close()
    expect(scripts.filter((url) => url.endsWith(scriptPath('analytics')))).toEqual([])
    expect(capture.requests).toEqual([])
    expect(complaints).toEqual([])
  })

  it('T-26, R25: report pages by template and clicks by label, without their content', async () => {
    await open(({ origin }) => ({ TEASEL_ANALYTICS_KEY: 'phc_key_of_a_test', TEASEL_ANALYTICS_HOST: origin }))
    const visitor = await newUser(hosts)
    const body = { name: 'Canary Orchard', description: 'canary description' }
    const { body: project } = await call(hosts.api, createPersonalProject, {}, { as: visitor.token, body })
    const { context, complaints } = await openSignedIn(browser, hosts, visitor)
    const page = await context.newPage()
    await page.goto(`${hosts.console}/organizations?q=canary-query`)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await expect.poll(viewed, soon).toContain('/organizations/$organizationId/projects/')

    await page.getByRole('link', { name: 'Add Project' }).first().click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('canary-typed')
    await page.getByRole('textbox', { name: 'Description' }).fill(visitor.token)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Monitor' }).waitFor()
    const inProject = `${hosts.console}/organizations/none/projects/${project.id}`
    await page.goto(`${inProject}/devices/list?q=canary-filter`)
    await page.getByRole('heading', { name: /Devices/ }).waitFor()
    await page.goto(`${inProject}/access`)
    await page.getByRole('button', { name: 'Add key' }).click()
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name', exact: true }).fill('canary-key')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await expect.poll(() => named('Add key').length, soon).toBe(1)
    // A label that changes has a fixed name in the catalogue.
    await page.getByRole('button', { name: 'Experimental mode is off' }).click()
    await page.getByRole('button', { name: 'Experimental mode is on' }).click()
    await page.goto(`${hosts.console}/account/settings`)
    await expect.poll(viewed, soon).toContain('/account/settings/profile')
    await page.getByRole('button', { name: 'User Menu' }).click()
    await page.getByRole('menuitem', { name: 'Sign Out' }).click()
    await page.waitForURL(`${hosts.signIn}/signin**`)

    await expect.poll(() => named('User Menu').length, soon).toBe(1)
    for (const name of ['Add Project', 'Save', 'Cancel']) expect(named(name)).toHaveLength(1)
    await expect.poll(() => named('Experimental mode').length, soon).toBe(2)
    expect(viewed()).toContain('/organizations/$organizationId/projects/$projectId/access')

    // Of the browser before and after the sign-in. Its last events may arrive after it.
    const ids = () => new Set(capture.events().map(({ properties }) => properties.distinct_id))
    expect(ids().size).toBe(1)

    await signIn(page, hosts, visitor)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await expect.poll(() => ids().size, soon).toBe(2)
    for (const id of ids()) expect(typeof id).toBe('string')

    const sent = capture.requests.map(({ url, body: bytes }) => `${decodeURIComponent(url)} ${bytes}`).join('\n')
    const secrets = [visitor.token, visitor.email, visitor.password, visitor.name, project.id, hosts.console, 'canary', 'Canary']
    expect(secrets.filter((secret) => sent.includes(secret))).toEqual([])
    // Only events: no request for flags, recordings or a configuration.
    expect(capture.requests.filter(({ url }) => !url.startsWith('/e/') && !url.startsWith('/i/v0/e/'))).toEqual([])
    expect(complaints).toEqual([])
  })
})

/** Where a secret was searched for, and the text there. */
type Found = { where: string; text: string }

/** Records all requests and answers, without URL fragments, which are not sent. */
const watchWire = (context: BrowserContext) => {
  const found: Found[] = []
  const pending: Promise<unknown>[] = []
  const note = (where: string, text: string) => found.push({ where, text })
  // A redirect, an abandoned page and a closed one have none.
  const read = (work: Promise<unknown>) => pending.push(work.catch(() => {}))
  const noteHeaders = (line: string) => (headers: Record<string, string>) => {
    for (const [name, value] of Object.entries(headers)) note(`${line} ${name}`, value)
  }
  const onRequest = (request: Request) => {
    const [url = ''] = request.url().split('#')
    const line = `${request.method()} ${new URL(url).pathname}`
    note(`${line} address`, decodeURIComponent(url))
    note(`${line} body`, request.postData() ?? '')
    read(request.allHeaders().then(noteHeaders(line)))
  }
  const onResponse = (response: Response) => {
    const line = `${response.status()} of ${response.request().method()} ${new URL(response.url()).pathname}`
    read(response.allHeaders().then(noteHeaders(line)))
    read(response.text().then((text) => note(`${line} body`, text)))
  }
  context.on('request', onRequest)
  context.on('response', onResponse)
  context.on('console', (message) => note('console', message.text()))
  return async () => {
    // What is asked from here on ends with the context.
    context.off('request', onRequest)
    context.off('response', onResponse)
    await Promise.all(pending)
    return found
  }
}

/** Everything that a page stores or that its scripts can read: performance entries, history, storage, names, the document. */
const keptBy = async (page: Page): Promise<Found[]> => {
  const inside = await page.evaluate(async () => {
    const all: PerformanceEntry[] = [...performance.getEntries()]
    for (const type of PerformanceObserver.supportedEntryTypes)
      await new Promise<void>((resolve) => {
        const observer = new PerformanceObserver((list) => void all.push(...list.getEntries()))
        observer.observe({ type, buffered: true })
        setTimeout(() => {
          all.push(...observer.takeRecords())
          observer.disconnect()
          resolve()
        }, 5)
      })
    const { navigation } = globalThis as unknown as {
      navigation: { entries: () => { url: string }[]; activation: { from: { url: string } | null; entry: { url: string } } }
    }
    return {
      entries: JSON.stringify(all),
      address: location.href,
      referrer: document.referrer,
      name: window.name,
      state: JSON.stringify(history.state),
      history: JSON.stringify(navigation.entries().map(({ url }) => url)),
      activation: JSON.stringify([navigation.activation.from?.url, navigation.activation.entry.url]),
      'session storage': JSON.stringify({ ...sessionStorage }),
      'local storage': JSON.stringify({ ...localStorage }),
      databases: JSON.stringify(await indexedDB.databases()),
      caches: JSON.stringify('caches' in globalThis ? await caches.keys() : []),
      cookies: document.cookie,
      document: document.documentElement.outerHTML,
    }
  })
  const devtools = await page.context().newCDPSession(page)
  const browser = JSON.stringify((await devtools.send('Page.getNavigationHistory')).entries)
  return Object.entries({ ...inside, 'history of the browser': browser }).map(([where, text]) => ({ where, text }))
}

const placesOf = (secret: string, found: Found[]) =>
  found
    .filter(({ text }) => text.includes(secret))
    .map(({ where }) => where)
    .toSorted()

it('T-09: during a whole sign-in the token is only in its header, and the code nowhere once the console has started', async () => {
  await open(({ origin }) => ({
    TEASEL_ANALYTICS_KEY: 'phc_key_of_a_test',
    TEASEL_ANALYTICS_HOST: origin,
    TEASEL_LOG_LEVEL: 'trace',
  }))
  const visitor = await newUser(hosts)
  const { context, complaints } = await openContext(browser)
  const wire = watchWire(context)
  const page = await context.newPage()
  const redeemed = page.waitForRequest(
    (request) => request.url() === `${hosts.api}${createSession.path}` && request.method() === 'POST',
  )
  await signIn(page, hosts, visitor)
  await page.getByRole('heading', { name: /^Projects/ }).waitFor()
  const { code, code_verifier: verifier } = (await redeemed).postDataJSON() as { code: string; code_verifier: string }
  const token = (await page.evaluate((key) => localStorage.getItem(key), storageKeys.session)) ?? ''
  expect([code, verifier].map((secret) => /^[\w-]{43}$/.test(secret))).toEqual([true, true])
  expect(token).toMatch(tokenPattern)
  const secrets = [code, verifier, token, visitor.password]
  const nowhere = secrets.map(() => [])

  // After the start, on another page, after a reload and in a second tab.
  const whereKept = async (one: Page) => {
    const kept = await keptBy(one)
    expect(kept.find(({ where }) => where === 'entries')?.text).toContain('"entryType":"navigation"')
    return secrets.map((secret) => placesOf(secret, kept))
  }
  const keptToken = [[], [], ['local storage'], []]
  await expect.poll(() => whereKept(page)).toEqual(keptToken)
  await page.getByRole('link', { name: 'Add Project' }).first().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Orchard')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Monitor', exact: true }).waitFor()
  await expect.poll(() => whereKept(page)).toEqual(keptToken)
  await page.reload()
  await page.getByRole('heading', { name: 'Monitor', exact: true }).waitFor()
  await expect.poll(() => whereKept(page)).toEqual(keptToken)
  const tab = await context.newPage()
  await tab.goto(hosts.console)
  await tab.getByRole('heading', { name: /^Projects/ }).waitFor()
  await expect.poll(() => whereKept(tab)).toEqual(keptToken)
  await tab.close()
  await page.getByRole('button', { name: 'User Menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign Out' }).click()
  await page.waitForURL(`${hosts.signIn}/signin**`)
  await expect.poll(() => whereKept(page)).toEqual(nowhere)
  await expect.poll(() => named('User Menu').length, soon).toBe(1)

  const sent = await wire()
  await context.close()
  expect(placesOf(code, sent)).toEqual(['303 of POST /signin location', 'POST /sessions body'])
  expect(placesOf(verifier, sent)).toEqual(['POST /sessions body'])
  const { password } = visitor
  expect(placesOf(password, sent)).toEqual([])
  expect(placesOf(new URLSearchParams({ password }).toString(), sent)).toEqual(['POST /signin body'])
  const withToken = placesOf(token, sent)
  expect(withToken.filter((where) => !where.endsWith(' x-session-token'))).toEqual(['201 of POST /sessions body'])
  expect(withToken.length).toBeGreaterThan(5)
  const elsewhere = [
    { where: 'log', text: await hosts.logged() },
    { where: 'analytics', text: capture.requests.map(({ url, body }) => `${decodeURIComponent(url)} ${body}`).join('\n') },
  ]
  for (const { text } of elsewhere) expect(text.length).toBeGreaterThan(1000)
  expect(secrets.map((secret) => placesOf(secret, elsewhere))).toEqual(nowhere)
  expect(complaints).toEqual([])
})
