import { expect, it } from 'vitest'
import { titles } from '../../contract/core/errors'
import { createOrganization } from '../../contract/accounts/organization'
import { storageKeys } from '../../src/lib/storage-keys'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'
import { highlighted } from './support/options'

const { hosts, open } = useConsole()

const projects = (organizationId: string) => `${hosts().console}/organizations/${organizationId}/projects`
const switcher = (page: Page) => page.getByRole('button', { name: /^Organization:/ })
const heading = (page: Page) => page.getByRole('heading', { name: /^Projects/ })

it('§2: is not shown on the developer plan without an organization', async () => {
  const page = await (await open(await newUser(hosts()))).newPage()
  await page.goto(hosts().console)
  await heading(page).waitFor()
  await page.getByText('No projects').waitFor()
  await expect.poll(() => switcher(page).count()).toBe(0)
})

it('§2: is shown on the production plan, with only No Organization when there is none', async () => {
  const ines = await newUser(hosts())
  await hosts().sql(`update users set pricing_plan = 'production' where email = $1`, [ines.email])
  const page = await (await open(ines)).newPage()
  await page.goto(hosts().console)
  await switcher(page).click()
  await page.getByPlaceholder('Choose an organization', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['No Organization'])
})

it('§2: No Organization first, then each by name; found by typing; choosing keeps the query string', async () => {
  const ines = await newUser(hosts())
  await hosts().sql(`update users set pricing_plan = 'production' where email = $1`, [ines.email])
  const made: string[] = []
  for (const name of ['Hedgerow Instruments', 'Reedbed Contract Works'])
    made.push((await call(hosts().api, createOrganization, {}, { as: ines.token, body: { name } })).body.public_id)
  const page = await (await open(ines)).newPage()
  await page.goto(`${projects('none')}?experimental=true&from=mail`)
  await switcher(page).click()
  const box = page.getByPlaceholder('Choose an organization', { exact: true })
  await box.waitFor()
  const options = () => page.getByRole('option').allTextContents()
  await expect.poll(options).toEqual(['No Organization', 'Hedgerow Instruments', 'Reedbed Contract Works'])
  await expect.poll(() => page.getByRole('option', { selected: true }).allTextContents()).toEqual(['No Organization'])
  await box.fill('rééd')
  await expect.poll(options).toEqual(['Reedbed Contract Works'])
  await box.fill('nothing like it')
  await page.getByText('Not Found', { exact: true }).waitFor()
  await box.fill('reed')
  await highlighted(page, 'Reedbed Contract Works')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${projects(made[1] ?? '')}?experimental=true&from=mail`)
  await expect.poll(() => switcher(page).textContent()).toBe('Reedbed Contract Works')
})

it('§4: a page without an organization selects the stored one, else the first, and keeps it', async () => {
  const ines = await subscriber(hosts())
  for (const name of ['Hedgerow Instruments', 'Reedbed Contract Works'])
    await call(hosts().api, createOrganization, {}, { as: ines.token, body: { name } })
  const page = await (await open(ines)).newPage()
  const visit = async (path: string) => {
    await page.goto(`${hosts().console}${path}`)
    return switcher(page).textContent()
  }
  const stored = () => page.evaluate((key) => localStorage.getItem(key), storageKeys.organization)
  const choose = async (name: string) => {
    const former = await stored()
    await switcher(page).click()
    await page.getByRole('option', { name }).click()
    await page.waitForURL('**/projects')
    await expect.poll(() => switcher(page).textContent()).toBe(name)
    // It is stored once it is known that the user may open it.
    await expect.poll(stored).not.toBe(former)
  }
  expect(await visit('/download-binaries')).toBe('Hedgerow Instruments')
  await choose('Reedbed Contract Works')
  expect(await visit('/account/settings/profile')).toBe('Reedbed Contract Works')
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Projects' }).click()
  await heading(page).waitFor()
  await expect.poll(() => switcher(page).textContent()).toBe('Reedbed Contract Works')
  await choose('No Organization')
  expect(await visit('/download-binaries')).toBe('No Organization')
})

it('R19: nothing is shown and no layout shifts until both the user and the organizations are known', async () => {
  const ines = await newUser(hosts())
  await call(hosts().api, createOrganization, {}, { as: ines.token, body: { name: 'Hedgerow' } })
  const context = await open(ines)
  const page = await context.newPage()
  let letGo = () => {}
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await context.route(`${hosts().api}/organizations`, async (route) => {
    if (route.request().method() === 'GET') await held
    return route.continue()
  })
  await page.goto(projects('none'))
  await heading(page).waitFor()
  const avatar = page.getByRole('button', { name: 'User Menu' })
  const before = await avatar.boundingBox()
  await expect.poll(() => switcher(page).count()).toBe(0)
  letGo()
  await switcher(page).waitFor()
  expect(await avatar.boundingBox()).toEqual(before)
})

it('a user refused for missing two-step sign-in sees the reason and a link to turn it on', async () => {
  const ines = await newUser(hosts())
  const { body } = await call(hosts().api, createOrganization, {}, { as: ines.token, body: { name: 'Hedgerow' } })
  await hosts().sql(`update organizations set settings = settings || '{"require_mfa": true}' where public_id = $1`, [
    body.public_id,
  ])
  const page = await (await open(ines)).newPage()
  await page.goto(projects(body.public_id))
  await page.waitForURL(projects('none'))
  await page.getByText(titles.organizationLost).waitFor()
  await page.getByText('Hedgerow requires two-step sign-in').waitFor()
  await page.getByRole('button', { name: 'Security', exact: true }).click()
  await page.waitForURL('**/account/settings/security')
  await page.getByRole('button', { name: 'Turn on two-step sign-in' }).waitFor()

  await page.goto(`${hosts().console}/account/settings/organizations/list/${body.public_id}/summary`)
  await page.getByText('Hedgerow requires two-step sign-in').waitFor()
  await page.getByRole('alert').getByRole('link', { name: 'Security' }).click()
  await page.waitForURL('**/account/settings/security')
})
