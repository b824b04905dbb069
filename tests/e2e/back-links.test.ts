import { expect, it } from 'vitest'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()

/** A project with 60 gateways and 60 cameras, and a page of its owner. */
const openProject = async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  await hosts().sql(
    `insert into devices (id, created_at, updated_at, revision, project_id, name, hardware_model, lifecycle, enrollment)
     select '01HZZZZZZZZZ' || right($1, 8) || k || lpad(n::text, 5, '0'), now(), now(), 1, $1, kind || '-' || lpad(n::text, 3, '0'), kind,
       'active', 'group'
     from generate_series(1, 60) as n, unnest(array['gw', 'cam']) with ordinality as kinds (kind, k)`,
    [projectId],
  )
  const page = await (await open(ines)).newPage()
  return { page, home: `${hosts().console}/organizations/none/projects/${projectId}` }
}

it('§2: a crumb goes back in history to its list, with the filter, the sort order and the scroll position', async () => {
  const { page, home } = await openProject()
  const scrolled = () => page.evaluate(() => window.scrollY)
  await page.goto(`${home}/devices/list?hardware_model=gw`)
  await page.getByRole('button', { name: 'Name' }).click()
  await page.getByLabel('Filter by name').fill('gw-0')
  await page.waitForURL(/q=gw-0/)
  const address = page.url()
  expect(address).toMatch(/hardware_model=gw/)
  expect(address).toMatch(/sort=-name/)
  await page.getByRole('link', { name: 'gw-060' }).waitFor()
  await page.evaluate(() => window.scrollTo(0, 900))
  await page.getByRole('link', { name: 'gw-030' }).click()
  const crumb = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Devices' })
  await crumb.waitFor()
  const top = await scrolled()
  expect(top).toBe(0)
  // Pages of the device lie between.
  await page.getByRole('link', { name: 'System Logs' }).click()
  await page.waitForURL(/system-logs/)
  // A new tab opens the same list.
  expect(new URL((await crumb.getAttribute('href')) ?? '', address).href).toBe(address)
  const length = await page.evaluate(() => window.history.length)
  await crumb.click()
  await page.waitForURL(address)
  await page.getByRole('link', { name: 'gw-030' }).waitFor()
  await expect.poll(scrolled).toBe(900)
  // Nothing was added: the way forward is still there.
  expect(await page.evaluate(() => window.history.length)).toBe(length)
  await page.goForward()
  await page.getByRole('heading', { name: 'gw-030', level: 1 }).waitFor()
})

it('§2: without history a crumb opens its list with the current query, and Projects the list of projects', async () => {
  const { page, home } = await openProject()
  await page.goto(`${home}/devices/list/add?experimental=true`)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Devices' }).click()
  await page.waitForURL(`${home}/devices/list?experimental=true`)
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Projects' }).click()
  await page.waitForURL(/\/organizations\/none\/projects\?experimental=true$/)
})

it('§2: Projects goes back in history, from a project and from the account', async () => {
  const { page, home } = await openProject()
  const projects = home.replace(/\/[^/]+$/, '')
  await page.goto(`${projects}?experimental=true`)
  // The addresses are recorded from here on.
  await page.getByRole('button', { name: 'Experimental mode is on' }).waitFor()
  const length = () => page.evaluate(() => window.history.length)
  const before = await length()
  await page.getByRole('link', { name: 'Orchard' }).first().click()
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Projects' }).click()
  await page.waitForURL(`${projects}?experimental=true`)
  await page.getByRole('button', { name: 'User Menu' }).click()
  await page.getByRole('menuitem', { name: 'Account', exact: true }).click()
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Projects' }).click()
  await page.waitForURL(`${projects}?experimental=true`)
  await expect.poll(() => length()).toBe(before + 1)
})
