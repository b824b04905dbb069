import { afterEach, describe, expect, it } from 'vitest'
import { createPersonalProject } from '../../contract/projects'
import { type Browser, openBrowser } from './support/browser'
import { call } from './support/call'
import { startCapture } from './support/capture'
import { type Hosts, newcomer, openSignedIn, startHosts } from './support/hosts'
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
const soon = { timeout: 30_000, interval: 100 }

describe('product analytics', () => {
  it('do not exist without a key', async () => {
    await open(() => ({}))
    const { context, complaints } = await openSignedIn(browser, hosts, await newcomer(hosts))
    const page = await context.newPage()
    const scripts: string[] = []
    page.on('request', (request) => scripts.push(request.url()))
    const policy = page.waitForResponse((response) => response.url().startsWith(hosts.console))
    await page.goto(hosts.console)
    expect((await policy).headers()['content-security-policy']).not.toContain(capture.origin)
    await page.getByRole('link', { name: 'Add Project' }).first().click()
    await page.getByRole('button', { name: 'Save' }).click()
    // What comes after the first screen has come: the questionnaire asks what the visitor has seen.
    await expect.poll(() => scripts.some((url) => url.endsWith('/interstitials')), soon).toBe(true)
    await context.close()
    expect(scripts.filter((url) => /analytics|posthog/.test(url))).toEqual([])
    expect(capture.requests).toEqual([])
    expect(complaints).toEqual([])
  })

  it('T-26, R25: tell of pages by template and of clicks by label, and nothing of what is on them', async () => {
    await open(({ origin }) => ({ TEASEL_ANALYTICS_KEY: 'phc_key_of_a_test', TEASEL_ANALYTICS_HOST: origin }))
    const visitor = await newcomer(hosts)
    const body = { name: 'Canary Orchard', description: 'canary description' }
    const { body: project } = await call(hosts.api, createPersonalProject, {}, { as: visitor.token, body })
    const { context, complaints } = await openSignedIn(browser, hosts, visitor)
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
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
    // A label that changes has one name all the same.
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

    const [first] = capture.events()
    const before = first?.properties.distinct_id
    expect(typeof before).toBe('string')
    expect(new Set(capture.events().map(({ properties }) => properties.distinct_id)).size).toBe(1)

    const told = capture.requests.length
    await signIn(page, hosts, visitor)
    await page.getByRole('heading', { name: 'Projects' }).waitFor()
    await expect.poll(() => capture.requests.length, soon).toBeGreaterThan(told)
    const after = capture.events().at(-1)?.properties.distinct_id
    expect(typeof after).toBe('string')
    expect(after).not.toBe(before)

    const sent = capture.requests.map(({ url, body: bytes }) => `${decodeURIComponent(url)} ${bytes}`).join('\n')
    const secrets = [visitor.token, visitor.email, visitor.password, visitor.name, project.id, hosts.console, 'canary', 'Canary']
    expect(secrets.filter((secret) => sent.includes(secret))).toEqual([])
    // Events, and nothing that asks for flags, recordings or a configuration.
    expect(capture.requests.filter(({ url }) => !url.startsWith('/e/') && !url.startsWith('/i/v0/e/'))).toEqual([])
    expect(complaints).toEqual([])
  })
})
