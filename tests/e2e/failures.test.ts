import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import type { BrowserContext, Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'

const { hosts, open } = useConsole()

const requestId = '01HZX3V5K8Q2M4N6P7R9S0T1V2'

/** Answers these reads with this status until ended; all others are real. */
const failing = async (context: BrowserContext, url: string | ((url: URL) => boolean), status: number) => {
  const body = { error: { code: 'of_a_test', message: 'Of a test', details: [], request_id: requestId } }
  await context.route(url, (route) =>
    route.request().method() === 'GET'
      ? route.fulfill({
          status,
          json: body,
          headers: {
            'access-control-allow-origin': hosts().console,
            'access-control-expose-headers': 'X-Request-Id',
            'x-request-id': requestId,
          },
        })
      : route.continue(),
  )
  return () => context.unroute(url)
}

const visit = async () => {
  const ines = await newUser(hosts())
  const { body } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Gateways' } })
  const context = await open(ines)
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  return { context, projectId: body.id, address: `${hosts().console}/organizations/none/projects/${body.id}/monitor` }
}
const box = (page: Page) => page.getByRole('alert')

it.each([
  [403, 'Unauthorized'],
  [404, 'The Requested Resource Cannot Be Found'],
  [409, 'Something Went Wrong, Please Try Again Later'],
  [500, 'Something Went Wrong, Please Try Again Later'],
])(
  '§8: %i has the title of the catalogue, inside the page, with the request id, and Try again only where it can help',
  async (status, title) => {
    const { context, projectId, address } = await visit()
    const end = await failing(context, `${hosts().api}/projects/${projectId}`, status)
    const page = await context.newPage()
    await page.goto(address)
    await box(page).getByRole('heading', { name: title, exact: true }).waitFor()
    // The frame stays, with its link back.
    await page.getByRole('button', { name: 'User Menu' }).waitFor()
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Projects' }).waitFor()
    await box(page).getByText(requestId).waitFor()
    await box(page).getByRole('button', { name: 'Copy request id' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(requestId)
    if (status < 500) {
      expect(await box(page).getByRole('button', { name: 'Try again' }).count()).toBe(0)
      await box(page).getByRole('button', { name: 'Search' }).click()
      await page.getByRole('dialog').getByRole('combobox').waitFor()
      await page.keyboard.press('Escape')
      await box(page).getByRole('link', { name: 'Projects' }).click()
      await page.waitForURL('**/organizations/none/projects')
      return
    }
    await end()
    await box(page).getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  },
)

it('T-04: permissions that are answered 500 grant nothing; the page says that they failed, and Try again loads them', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })
  const organizationId = made.public_id
  const name = 'Gateways'
  const { body: owned } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body: { name } })
  const { body: own } = await call(hosts().api, createPersonalProject, {}, { as, body: { name } })
  const context = await open(ines)
  const isAsked = ({ pathname }: URL) => pathname.endsWith('/members/self/permissions')
  const isInProject = ({ searchParams }: URL) => searchParams.has('project_id')
  const cases = [
    [organizationId, owned.id, (url: URL) => isAsked(url) && !isInProject(url), 'Your permissions in this organization could'],
    [organizationId, owned.id, (url: URL) => isAsked(url) && isInProject(url), 'Your permissions could'],
    ['none', own.id, isAsked, 'Your permissions could'],
  ] as const
  for (const [scope, projectId, fails, text] of cases) {
    const end = await failing(context, fails, 500)
    const page = await context.newPage()
    await page.goto(`${hosts().console}/organizations/${scope}/projects/${projectId}/tags/list`)
    await box(page).getByRole('heading', { name: 'Something Went Wrong, Please Try Again Later', exact: true }).waitFor()
    await box(page).getByText(`${text} not be loaded. Nothing was changed.`, { exact: true }).waitFor()
    await box(page).getByText(requestId).waitFor()
    await expect.poll(() => page.getByText('Add Tag').count()).toBe(0)
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Monitor' }).count())
      .toBe(0)
    await end()
    await box(page).getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Add Tag').first().waitFor()
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Monitor' }).waitFor()
    await page.close()
  }
})

it('§8: no answer at all has the default title', async () => {
  const { context, projectId, address } = await visit()
  const page = await context.newPage()
  await page.goto(`${hosts().console}/organizations/none/projects`)
  await page.getByRole('link', { name: 'Gateways', exact: true }).waitFor()
  await context.route(`${hosts().api}/projects/${projectId}`, (route) => route.abort('connectionrefused'))
  await page.goto(address)
  await box(page).getByRole('heading', { name: 'An error occurred, please try again later.', exact: true }).waitFor()
})

it('§1: while offline a banner above the page shows the exact text', async () => {
  const { context, address } = await visit()
  const page = await context.newPage()
  await page.goto(address)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await context.setOffline(true)
  const banner = page.getByText(
    'It appears that you are offline. Please reconnect if you are trying to access the control center.',
    { exact: true },
  )
  await banner.waitFor()
  await context.setOffline(false)
  await banner.waitFor({ state: 'detached' })
})

it('a panel of a list keeps its rows when a refresh fails, says so, and refreshes again', async () => {
  const { context, projectId } = await visit()
  const page = await context.newPage()
  const failed = (name: string) => page.getByRole('region', { name }).getByText('The last refresh failed.', { exact: false })
  const button = (name: string, label: string) => page.getByRole('region', { name }).getByRole('button', { name: label })
  for (const [address, panels] of [
    [`/organizations/none/projects/${projectId}/access`, ['Signing keys', 'Access tokens', 'Enrollment tokens']],
    ['/account/settings/security', ['Sessions']],
    ['/account/settings/notifications', ['Projects']],
  ] as const) {
    await page.goto(`${hosts().console}${address}`)
    for (const name of panels) await button(name, 'Refresh').waitFor()
    const end = await failing(context, (url) => url.origin === new URL(hosts().api).origin, 500)
    for (const name of panels) {
      await button(name, 'Refresh').click()
      await failed(name).waitFor()
    }
    await end()
    for (const name of panels) {
      await button(name, 'Try again').click()
      await failed(name).waitFor({ state: 'detached' })
    }
  }
})

it.each([
  ['projects', '/organizations/none/projects', 'Gateways'],
  ['organizations', '/account/settings/organizations/list', 'Orchard'],
])('the page of all %s keeps them when a refresh fails, says so, and refreshes again', async (_, address, name) => {
  const ines = await subscriber(hosts())
  const as = ines.token
  await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Gateways' } })
  await call(hosts().api, createOrganization, {}, { as, body: { name: 'Orchard' } })
  const context = await open(ines)
  const page = await context.newPage()
  await page.clock.install()
  await page.goto(`${hosts().console}${address}`)
  const row = page.getByRole('main').getByRole('link', { name, exact: true })
  await row.waitFor()
  const end = await failing(context, (url) => url.origin === new URL(hosts().api).origin, 500)
  await page.clock.fastForward(150_000)
  const failed = page.getByText('The last refresh failed.', { exact: false })
  await failed.waitFor()
  await row.waitFor()
  await end()
  await page.getByRole('main').getByRole('button', { name: 'Try again' }).click()
  await failed.waitFor({ state: 'detached' })
})
