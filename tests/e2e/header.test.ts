import { expect, it } from 'vitest'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createRelease } from '../../contract/updates/releases'
import { createTag } from '../../contract/fleet/tags'
import { self } from '../../contract/accounts/users'
import { storageKeys } from '../../src/lib/storage-keys'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole({
  TEASEL_LINK_DOCS: 'https://teasel.example/docs',
  TEASEL_LINK_TERMINAL: 'https://teasel.example/terminal',
  TEASEL_LINK_COMMUNITY: 'https://teasel.example/community',
  TEASEL_LINK_FEEDBACK: 'https://teasel.example/feedback',
})
const personal = () => `${hosts().console}/organizations/none/projects`
const heading = { name: /^Projects/ }

/** A signed-in page on a person's projects. */
const visit = async (size = { width: 1280, height: 800 }) => {
  const ines = await newUser(hosts())
  const context = await open(ines)
  const page = await context.newPage()
  await page.setViewportSize(size)
  await page.goto(personal())
  await page.getByRole('heading', heading).waitFor()
  return { ines, context, page }
}

const places = { Docs: '/docs', Terminal: '/terminal', Community: '/community', Feedback: '/feedback' }
const elsewhere = Object.keys(places)
const userMenu = (page: Page) => page.getByRole('button', { name: 'User Menu', exact: true })

it('§1: leads to docs, terminal, community and feedback from the header, from its menu under 1024 and from the drawer under 768', async () => {
  const { page } = await visit()
  const header = page.getByRole('navigation', { name: 'More links' })
  const leads = async (name: string) =>
    header.getByRole('link', { name, exact: true }).evaluate((link: HTMLAnchorElement) => [link.href, link.target])
  const told = await Promise.all(elsewhere.map(leads))
  expect(told).toEqual(Object.values(places).map((path) => [`https://teasel.example${path}`, '_blank']))
  await expect.poll(() => header.getByRole('link').allTextContents()).toEqual([...elsewhere, 'Binaries'])
  await expect.poll(() => header.getByRole('link', { name: 'Binaries' }).getAttribute('href')).toBe('/download-binaries')
  await page.getByRole('banner').getByRole('button', { name: 'Guide', exact: true }).waitFor()

  await page.setViewportSize({ width: 1000, height: 800 })
  await expect.poll(() => header.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Links' }).click()
  const inMenu = page.getByRole('menuitem')
  await inMenu.first().waitFor()
  expect((await inMenu.allTextContents()).toSorted()).toEqual([...elsewhere, 'Binaries'].toSorted())
  await expect.poll(() => page.getByRole('menuitem', { name: 'Docs' }).getAttribute('href')).toBe(told[0]?.[0])
  await page.keyboard.press('Escape')

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  const drawer = page.getByRole('dialog')
  for (const name of [...elsewhere, 'Binaries']) await drawer.getByRole('link', { name }).waitFor()
  await drawer.getByRole('button', { name: 'Guide' }).waitFor()
  await drawer.getByRole('link', { name: 'Binaries' }).click()
  await page.getByRole('heading', { name: 'Client Binaries', level: 1 }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/download-binaries')
})

it('§1, R18: says BETA on the logo and names an environment that is not production', async () => {
  const { context, page } = await visit()
  const said = async (tab = page) => {
    await tab.getByRole('button', { name: /^Experimental mode/ }).waitFor()
    const environment = tab.getByRole('complementary', { name: 'Environment' })
    return [await tab.getByRole('banner').getByRole('link').first().textContent(), await environment.allTextContents()]
  }
  await expect.poll(() => said()).toEqual(['TeaselBETA', ['local']])

  // The same page, whose host says that it is another environment.
  for (const [name, words, label] of [
    ['staging', 'TeaselBETA', ['staging']],
    ['production', 'Teasel', []],
  ] as const) {
    const other = await context.newPage()
    await other.addInitScript((told) => {
      new MutationObserver(() => {
        const meta = document.querySelector<HTMLMetaElement>('meta[name=teasel]')
        if (meta?.content.includes('"local"')) meta.content = meta.content.replace('"local"', `"${told}"`)
      }).observe(document, { subtree: true, childList: true })
    }, name)
    await other.goto(personal())
    expect([name, ...(await said(other))]).toEqual([name, words, label])
  }
})

it('§2: the User Menu holds name, e-mail, Organizations, Account and Sign Out, in this order', async () => {
  const { ines, page } = await visit()
  await userMenu(page).click()
  const menu = page.getByRole('menu')
  await menu.waitFor()
  const text = (await menu.innerText()).split('\n').map((line) => line.trim())
  const wanted = [ines.name, ines.email, 'Organizations', 'Account', 'Sign Out']
  expect(text.filter((line) => wanted.includes(line))).toEqual(wanted)
  await page.getByRole('menuitem', { name: 'Organizations' }).click()
  await page.waitForURL('**/account/settings/organizations/list')
  await userMenu(page).click()
  await page.getByRole('menuitem', { name: 'Account' }).click()
  await page.waitForURL('**/account/settings/profile')
})

it('§4: Sign Out ends the session on the server, forgets the token and leads to sign-in', async () => {
  const { ines, context, page } = await visit()
  await userMenu(page).click()
  await page.getByRole('menuitem', { name: 'Sign Out', exact: true }).click()
  await page.waitForURL(`${hosts().signIn}/signin?**`)
  expect(await statusOf(hosts().api, self, {}, { as: ines.token })).toBe(401)
  const next = await context.newPage()
  await next.goto(`${hosts().console}/favicon.svg`)
  expect(await next.evaluate((key) => localStorage.getItem(key), storageKeys.session)).toBeNull()
})

it('applies the chosen theme at once, in other tabs too, and on the next visit before the app has loaded', async () => {
  const { context, page } = await visit()
  const ground = (tab = page) => tab.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const light = await ground()
  const other = await context.newPage()
  await other.goto(personal())
  await userMenu(page).click()
  await page.getByRole('menuitemradio', { name: 'Dark' }).click()
  await expect.poll(() => ground()).not.toBe(light)
  const dark = await ground()
  await expect.poll(() => ground(other)).toBe(dark)
  await expect.poll(() => page.getByRole('menuitemradio', { name: 'Dark' }).getAttribute('aria-checked')).toBe('true')

  // The app's scripts are held: only the static document is shown.
  await context.route(
    (url) => /\/assets\/.*\.js$/.test(url.pathname) && !url.pathname.includes('early-theme'),
    () => {},
  )
  const next = await context.newPage()
  await next.goto(personal(), { waitUntil: 'commit' })
  await next.getByRole('main', { name: 'Loading' }).waitFor()
  await expect.poll(() => ground(next)).toBe(dark)
  await context.unrouteAll({ behavior: 'ignoreErrors' })

  await page.getByRole('menuitemradio', { name: 'System' }).click()
  await expect.poll(() => ground()).toBe(light)
  expect(await page.evaluate(() => localStorage.getItem('theme'))).toBeNull()
})

it('§1: the flask toggles experimental=true in the address by replacing the entry, and the next page keeps it', async () => {
  const { ines, page } = await visit()
  await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Gateways' } })
  await page.goto(`${personal()}?kept=1`)
  const flask = (state: string) => page.getByRole('button', { name: `Experimental mode is ${state}` })
  await flask('off').waitFor()
  const entries = () => page.evaluate(() => history.length)
  const before = await entries()
  await flask('off').click()
  await flask('on').waitFor()
  expect(new URL(page.url()).searchParams.get('experimental')).toBe('true')
  await flask('on').click()
  await flask('off').waitFor()
  expect(new URL(page.url()).searchParams.has('experimental')).toBe(false)
  await flask('off').click()
  await flask('on').waitFor()
  await expect.poll(() => entries()).toBe(before)
  await page.getByRole('link', { name: 'Gateways', exact: true }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  expect(new URL(page.url()).searchParams.get('experimental')).toBe('true')
})

it('§1: experimental features show with experimental=true, or always to an account in the experimental channel', async () => {
  const { ines, page } = await visit()
  const as = ines.token
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Gateways' } })
  const newRelease = async (version: number, display_version: string) => {
    const body = { name: 'Gateway', version, display_version, type: 'file' as const, hardware_models: [`gw-${version}`] }
    return (await call(hosts().api, createRelease, { projectId: project.id }, { as, body })).body.id
  }
  await newRelease(1, '1.0.0')
  const later = await newRelease(2, '2.0.0')
  const releaseAt = `${personal()}/${project.id}/releases/list/${later}`
  const tab = page.getByRole('navigation', { name: 'Release', exact: true }).getByRole('link', { name: 'Compare' })
  await page.goto(`${releaseAt}/status`)
  await page.getByRole('heading', { name: 'Gateway' }).first().waitFor()
  await expect.poll(() => tab.count()).toBe(0)
  await page.getByRole('button', { name: 'Experimental mode is off' }).click()
  await tab.click()
  await page.getByRole('row', { name: 'Hardware models gw-1 gw-2' }).waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Compare with' }).inputValue()).toBe('Gateway (1.0.0)')

  await page.goto(`${hosts().console}/account/settings/profile`)
  const always = page.getByRole('switch', { name: 'Always show experimental features' })
  await always.check()
  await expect.poll(async () => (await call(hosts().api, self, {}, { as })).body.data.feature_channel).toBe('experimental')
  await page.goto(`${releaseAt}/status`)
  await tab.waitFor()
  await page.goto(`${hosts().console}/account/settings/profile`)
  await always.uncheck()
  await expect.poll(async () => (await call(hosts().api, self, {}, { as })).body.data.feature_channel).toBe('stable')
  await page.goto(`${releaseAt}/status`)
  await page.getByRole('heading', { name: 'Gateway' }).first().waitFor()
  await expect.poll(() => tab.count()).toBe(0)
})

it('the flask hides on a small screen while scrolling down, and shows again when scrolling up, at the end and on keyboard focus', async () => {
  const { ines, page } = await visit({ width: 390, height: 844 })
  const { body } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Gateways' } })
  const { id: projectId } = body
  for (let n = 0; n < 25; n += 1)
    await call(hosts().api, createTag, { projectId }, { as: ines.token, body: { name: `tag-${n}`, colour: 'moss' } })
  await page.goto(`${personal()}/${projectId}/tags/list`)
  const flask = page.getByRole('button', { name: 'Experimental mode is off' })
  await flask.waitFor()
  /** Whether a tap at its position would reach it. */
  const touchable = () =>
    flask.evaluate((button) => {
      const { x, y, width, height } = button.getBoundingClientRect()
      const touched = document.elementFromPoint(x + width / 2, y + height / 2)
      return button.contains(touched)
    })
  const down = (pixels: number) =>
    page.evaluate((by) => {
      window.scrollBy(0, by)
      // Scroll events are dispatched before the next frame.
      return new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    }, pixels)
  await expect.poll(touchable).toBe(true)
  await down(300)
  await expect.poll(touchable).toBe(false)
  await down(-100)
  await expect.poll(touchable).toBe(true)
  await down(100)
  await expect.poll(touchable).toBe(false)
  await down(100_000)
  await expect.poll(touchable).toBe(true)
  const row = page.getByRole('link', { name: 'tag-24', exact: true })
  const [under, over] = await Promise.all([row.boundingBox(), flask.boundingBox()])
  expect((under?.y ?? 0) + (under?.height ?? 0)).toBeLessThanOrEqual(over?.y ?? 0)
  await down(-400)
  await down(200)
  await expect.poll(touchable).toBe(false)
  await page.keyboard.press('Tab')
  await flask.focus()
  await expect.poll(touchable).toBe(true)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Experimental mode is on' }).waitFor()
})

it('the flask says what it does, and shows its label while it is on', async () => {
  const { page } = await visit()
  const off = page.getByRole('button', { name: 'Experimental mode is off' })
  await off.hover()
  await page.getByRole('tooltip', { name: 'Show features that are being tested: Compare releases' }).waitFor()
  expect((await off.innerText()).trim()).toBe('')
  await off.click()
  const on = page.getByRole('button', { name: 'Experimental mode is on' })
  await on.getByText('Experimental', { exact: true }).waitFor()
  // It covers no other element of this corner.
  const [flask, name] = await Promise.all([
    on.boundingBox(),
    page.getByRole('complementary', { name: 'Environment' }).boundingBox(),
  ])
  expect((name?.y ?? 0) + (name?.height ?? 0)).toBeLessThanOrEqual(flask?.y ?? 0)
})

it('a failure notice closes when its page is left', async () => {
  const { context, page } = await visit()
  await context.route(`${hosts().api}/subscriptions/checkout`, (route) => route.abort('connectionrefused'))
  await page.goto(`${hosts().console}/account/settings/subscriptions`)
  await page.getByRole('button', { name: 'Upgrade to production' }).click()
  const notice = page.getByText('The billing page could not be opened', { exact: true })
  await notice.waitFor()
  await page.getByRole('link', { name: 'Profile', exact: true }).click()
  await page.getByRole('heading', { name: 'Profile' }).waitFor()
  await notice.waitFor({ state: 'detached' })
})

it('a slow page shows a progress bar over the current page until it has loaded', async () => {
  const { ines, page } = await visit()
  const { body } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Gateways' } })
  await page.goto(personal())
  const held: (() => void)[] = []
  await page.route(`${hosts().api}/projects/${body.id}`, async (route) => {
    await new Promise<void>((resolve) => held.push(resolve))
    await route.continue()
  })
  const progress = page.getByRole('progressbar', { name: 'Loading the page' })
  await page.getByRole('button', { name: 'Experimental mode is off' }).waitFor()
  await expect.poll(() => progress.count()).toBe(0)
  await page.getByRole('link', { name: 'Gateways', exact: true }).click()
  await progress.waitFor()
  await page.getByRole('heading', heading).waitFor()
  for (const letGo of held) letGo()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await progress.waitFor({ state: 'detached' })
})

it('§9: header 57, side nav 170, avatar 26, and a menu button instead of the side nav under 768', async () => {
  const { ines, page } = await visit()
  const { body } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Gateways' } })
  await page.goto(`${personal()}/${body.id}/monitor`)
  const side = page.getByRole('navigation', { name: 'Project' })
  await side.waitFor()
  const box = async (name: string) => page.locator(name).boundingBox()
  await expect.poll(() => box('header >> nth=0')).toMatchObject({ height: 57 })
  expect(await side.boundingBox()).toMatchObject({ width: 170 })
  const avatar = userMenu(page).locator('> *')
  expect(await avatar.boundingBox()).toMatchObject({ width: 26, height: 26 })
  await page.setViewportSize({ width: 768, height: 800 })
  await expect.poll(() => side.isVisible()).toBe(true)
  await page.setViewportSize({ width: 767, height: 800 })
  await expect.poll(() => side.isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Devices' }).waitFor()
})

it('a drawer that is opened again while it closes opens', async () => {
  const { page } = await visit({ width: 390, height: 844 })
  const menu = page.getByRole('button', { name: 'Menu', exact: true })
  const drawer = page.locator('[role=dialog][data-state=open]')
  await menu.click()
  await drawer.waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => menu.evaluate((button) => button === document.activeElement)).toBe(true)
  await page.keyboard.press('Enter')
  await drawer.getByRole('link', { name: 'Binaries' }).waitFor()
})
