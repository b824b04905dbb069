import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, type Visitor } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

const at = (path: string) => `${hosts().console}${path}`
const heading = (page: Page) => page.getByRole('heading', { name: /^Projects/ })

const withProject = async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const organizationId = (await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })).body.public_id
  const { body } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body: { name: 'Gateways' } })
  return { ines, organizationId, projectId: body.id, home: `/organizations/${organizationId}/projects/${body.id}` }
}
const openAt = async (visitor: Visitor, path: string) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(at(path))
  return page
}

it('§2, R21: an unknown path redirects to the projects with its query and a notice', async () => {
  const page = await openAt(await newUser(hosts()), '/no/such/page?experimental=true&from=mail')
  await page.getByText('That page does not exist').waitFor()
  await heading(page).waitFor()
  expect(page.url()).toBe(at('/organizations/none/projects?experimental=true&from=mail'))
})

it('§2: every index redirects to its first page and keeps the query string', async () => {
  const { ines, organizationId, home } = await withProject()
  // Every name, value and repeat, in order.
  const query = '?kept=b&experimental=true&2=x&kept=a&1e3=007&from=mail&empty=&kept=b'
  const own = (await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Bench' } })).body.id
  const members = `/organizations/none/projects/${own}/members`
  const page = await (await open(ines)).newPage()
  const leads: readonly [string, string][] = [
    ['/', `/organizations/${organizationId}/projects`],
    ['/organizations', `/organizations/${organizationId}/projects`],
    [`/organizations/${organizationId}`, `/organizations/${organizationId}/projects`],
    ['/account', '/account/settings/profile'],
    ['/account/settings/organizations', '/account/settings/organizations/list'],
    [home, `${home}/monitor`],
    [`/account/settings/organizations/list/${organizationId}`, `/account/settings/organizations/list/${organizationId}/summary`],
    [members, `${members}/list`],
    [`${home}/devices`, `${home}/devices/list`],
    [`${home}/tags`, `${home}/tags/list`],
    [`${home}/secure-boot`, `${home}/secure-boot/list`],
    [`${home}/releases`, `${home}/releases/list`],
    [`${home}/settings`, `${home}/settings/general`],
  ]
  for (const [from, to] of leads) {
    await page.goto(at(from + query))
    await page.waitForURL((url) => url.pathname === to)
    expect([from, new URL(page.url()).search]).toEqual([from, query])
  }
})

it('R5: a project opened under a wrong organization redirects to the right one with page and query', async () => {
  const { ines, projectId, home } = await withProject()
  const page = await openAt(ines, `/organizations/none/projects/${projectId}/devices/list?q=gw&experimental=true`)
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  expect(page.url()).toBe(at(`${home}/devices/list?q=gw&experimental=true`))
})

it('R5: a personal project under an organization redirects to No Organization', async () => {
  const { ines, organizationId } = await withProject()
  const own = (await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Bench' } })).body.id
  const page = await openAt(ines, `/organizations/${organizationId}/projects/${own}/monitor`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  expect(new URL(page.url()).pathname).toBe(`/organizations/none/projects/${own}/monitor`)
})

it('§2: Cancel goes back in history when there is one, else to the parent page with the query', async () => {
  const ines = await newUser(hosts())
  const page = await openAt(ines, '/organizations/none/projects/add?experimental=true&from=mail')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await heading(page).waitFor()
  expect(page.url()).toBe(at('/organizations/none/projects?experimental=true&from=mail'))
  await page.goto(at('/account/settings'))
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Projects' }).click()
  await page.getByRole('link', { name: 'Add Project' }).first().click()
  // Cancel asks about unsaved text too.
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Orchard')
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?', exact: true })
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await question.getByRole('button', { name: 'Stay', exact: true }).click()
  await question.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('Orchard')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await question.getByRole('button', { name: 'Leave', exact: true }).click()
  await heading(page).waitFor()
  await page.goBack()
  await page.waitForURL('**/account/settings/profile')
})

it('§6, R26: a route without its permissions says Unauthorized, the missing permission and who has it, and does not redirect', async () => {
  const { organizationId, home } = await withProject()
  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const page = await openAt(vera, `${home}/releases/list/add`)
  await page.getByRole('heading', { name: 'Unauthorized' }).waitFor()
  await page.getByText('Needs “manage releases”. Roles that have it: owner, admin, developer.').waitFor()
  expect(new URL(page.url()).pathname).toBe(`${home}/releases/list/add`)

  // §5: the menu shows exactly the pages that this member may open.
  const menu = page.getByRole('navigation', { name: 'Project' })
  await menu.getByRole('link', { name: 'Devices' }).waitFor()
  const shown = await menu.getByRole('link').allTextContents()
  expect(shown.slice(0, 8)).toEqual([
    'Projects',
    'Monitor',
    'Releases',
    'Rollouts',
    'Secure Boot',
    'Devices',
    'Tags',
    'Audit Log',
  ])
  await page.goto(at(`/organizations/${organizationId}/projects`))
  await heading(page).waitFor()
  await page.getByRole('link', { name: 'Gateways', exact: true }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'Add Project' }).count()).toBe(0)
})

it('§5: a menu shows the items and children whose permissions the user has; without a list it shows everything', async () => {
  const { ines, home } = await withProject()
  const own = (await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Bench' } })).body.id
  const page = await (await open(ines)).newPage()
  const menu = page.getByRole('navigation', { name: 'Project' })
  const shown = async (path: string) => {
    await page.goto(at(path))
    await menu.getByRole('link', { name: 'Access' }).waitFor()
    return menu.getByRole('link').allTextContents()
  }
  const always = ['Projects', 'Monitor', 'Releases', 'Secure Boot', 'Tags', 'Access']
  const rows: readonly [string[], string[]][] = [
    [['project:view'], []],
    [['project:view', 'device:view'], ['Devices']],
    [['project:view', 'project:view_audit_log'], ['Audit Log']],
    [['project:view', 'project:update'], ['General']],
    [
      ['project:view', 'device:view', 'project:view_audit_log', 'project:update'],
      ['Devices', 'Audit Log', 'General'],
    ],
  ]
  for (const [permissions, more] of rows) {
    await page.route(/\/members\/self\/permissions/, async (route) => {
      if (route.request().method() !== 'GET') return route.fallback()
      await route.fulfill({ response: await route.fetch(), json: { permissions, baseRole: 'viewer' } })
    })
    const words = await shown(`${home}/access`)
    expect([permissions, words.toSorted()]).toEqual([permissions, [...always, ...more].toSorted()])
    await page.unrouteAll()
  }
  expect(await shown(`/organizations/none/projects/${own}/access`)).toEqual([
    'Projects',
    'Monitor',
    'Releases',
    'Secure Boot',
    'Devices',
    'Tags',
    'Audit Log',
    'General',
    'Access',
    'Members',
  ])
})

it('§2: Members is only in the menu of a personal project', async () => {
  const { ines, home } = await withProject()
  const own = (await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Bench' } })).body.id
  const page = await openAt(ines, `/organizations/none/projects/${own}/settings/general`)
  const menu = page.getByRole('navigation', { name: 'Project' })
  await menu.getByRole('link', { name: 'Members' }).click()
  await page.waitForURL('**/members/list')
  await expect.poll(() => menu.locator('[aria-current]').allTextContents()).toEqual(['Members'])
  await page.goto(at(`${home}/access`))
  await menu.getByRole('link', { name: 'General' }).waitFor()
  await expect.poll(() => menu.getByRole('link', { name: 'Members' }).count()).toBe(0)
})

it('§2: the menu of a project has its order, and exactly one current item', async () => {
  const { ines, home } = await withProject()
  const page = await openAt(ines, `${home}/settings/general`)
  const menu = page.getByRole('navigation', { name: 'Project' })
  await menu.getByRole('link', { name: 'General' }).waitFor()
  const words = (await menu.innerText())
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
  expect(words).toEqual([
    'Projects',
    'Gateways',
    'Monitor',
    'Releases',
    'Secure Boot',
    'Devices',
    'Tags',
    'Audit Log',
    'Settings',
    'General',
    'Access',
  ])
  await expect.poll(() => menu.locator('[aria-current]').allTextContents()).toEqual(['General'])
  await menu.getByRole('link', { name: 'Access' }).click()
  await expect.poll(() => menu.locator('[aria-current]').allTextContents()).toEqual(['Access'])
  await expect.poll(() => menu.getByRole('link', { name: 'Rollouts' }).count()).toBe(0)
  await menu.getByRole('link', { name: 'Releases' }).click()
  await menu.getByRole('link', { name: 'Rollouts' }).click()
  await page.waitForURL(`**${home}/releases/rollouts`)
  await expect.poll(() => menu.locator('[aria-current], [data-current]').allTextContents()).toEqual(['Rollouts'])
})

it('§2: the menu of the account leads back to the projects, to Organizations and to Subscriptions, query kept', async () => {
  const query = '?experimental=true&from=mail'
  const page = await openAt(await newUser(hosts()), `/account/settings${query}`)
  const menu = page.getByRole('navigation', { name: 'Account' })
  await menu.getByRole('link', { name: 'Subscriptions' }).waitFor()
  const words = await menu.getByRole('link').allTextContents()
  expect(words.slice(0, 3)).toEqual(['Projects', 'Organizations', 'Subscriptions'])
  const leads: readonly [string, string][] = [
    ['Organizations', '/account/settings/organizations/list'],
    ['Subscriptions', '/account/settings/subscriptions'],
    ['Projects', '/organizations/none/projects'],
  ]
  for (const [word, path] of leads) {
    await menu.getByRole('link', { name: word, exact: true }).click()
    await page.waitForURL((url) => url.pathname === path)
    expect(new URL(page.url()).search).toBe(query)
  }
  await heading(page).waitFor()
})
