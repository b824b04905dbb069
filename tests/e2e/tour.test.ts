import { expect, it } from 'vitest'
import { createDevice } from '../../contract/fleet/devices'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createRelease } from '../../contract/updates/releases'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()

const visit = async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = (await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Gateways' } })).body.id
  await call(hosts().api, createDevice, { projectId }, { as, body: { name: 'gw-0001', hardware_model: 'gw' } })
  const release = { name: 'Autumn', version: 1, type: 'file' as const, hardware_models: ['gw'] }
  await call(hosts().api, createRelease, { projectId }, { as, body: release })
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects`)
  await page.getByRole('link', { name: 'Gateways', exact: true }).waitFor()
  return page
}

const step = (page: Page) => page.getByRole('alertdialog')
const title = async (page: Page) => (await step(page).locator('[data-part=title]').textContent()) ?? ''
/** The text of the next step, once it is shown. */
const onward = async (page: Page, button: string) => {
  const before = await title(page)
  await step(page).getByRole('button', { name: button }).click()
  await expect.poll(() => title(page)).not.toBe(before)
}

it('§1: the guide shows the elements of a page, back and forth, and continues through project, devices and releases', async () => {
  const page = await visit()
  await page.getByRole('button', { name: 'Guide' }).click()
  await step(page).waitFor()
  const first = await title(page)
  await step(page)
    .getByText(/^1 of \d+$/)
    .waitFor()
  await onward(page, 'Next')
  await onward(page, 'Back')
  await expect.poll(() => title(page)).toBe(first)
  for (const [button, path] of [
    ['Open a project', '/monitor'],
    ['On to Devices', '/devices/list'],
    ['On to Releases', '/releases/list'],
  ] as const) {
    const on = step(page).getByRole('button', { name: button })
    while (!(await on.isVisible())) await onward(page, 'Next')
    await on.click()
    await page.waitForURL(`**${path}`)
    await step(page)
      .getByText(/^1 of \d+$/)
      .waitFor()
  }
  const done = step(page).getByRole('button', { name: 'Done' })
  while (!(await done.isVisible())) await onward(page, 'Next')
  await done.click()
  await step(page).waitFor({ state: 'detached' })
})

it('§1: the guide explains bundles of secure boot, in their list', async () => {
  const page = await visit()
  await page.getByRole('link', { name: 'Gateways', exact: true }).click()
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Secure Boot' }).click()
  await page.getByRole('link', { name: 'Add Bundle' }).waitFor()
  await page.getByRole('button', { name: 'Guide' }).click()
  await step(page).getByText('Add a bundle', { exact: true }).waitFor()
})

it('§1: the guide closes at any step by Escape, by its button and by navigation, and restarts when asked again', async () => {
  const page = await visit()
  const guide = page.getByRole('button', { name: 'Guide' })
  await guide.click()
  await step(page).waitFor()
  await onward(page, 'Next')
  await page.keyboard.press('Escape')
  await step(page).waitFor({ state: 'detached' })
  await guide.click()
  await step(page)
    .getByText(/^1 of \d+$/)
    .waitFor()
  await step(page).getByRole('button', { name: 'Close the guide' }).click()
  await step(page).waitFor({ state: 'detached' })
  await guide.click()
  await step(page).waitFor()
  await page.goto(`${hosts().console}/account/settings`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect.poll(() => step(page).count()).toBe(0)
})

it('the guide does not cover the navigation, which one click reaches', async () => {
  const page = await visit()
  await page.getByRole('link', { name: 'Gateways', exact: true }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  const side = page.getByRole('navigation', { name: 'Project' })
  for (const [place, heading] of [
    ['Devices', 'Devices'],
    ['Releases', 'Releases'],
    ['Monitor', 'Monitor'],
  ] as const) {
    await side.getByRole('link', { name: place, exact: true }).click()
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
    await expect.poll(() => step(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Guide' }).click()
    await step(page).waitFor()
    const next = step(page).getByRole('button', { name: 'Next' })
    for (;;) {
      const [card, nav] = await Promise.all([step(page).boundingBox(), side.boundingBox()])
      expect(card?.x, await title(page)).toBeGreaterThanOrEqual((nav?.x ?? 0) + (nav?.width ?? 0))
      if (!(await next.isVisible())) break
      await onward(page, 'Next')
    }
  }
})

it('on a phone the guide starts from the drawer and points only at visible elements', async () => {
  const page = await visit()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('link', { name: 'Gateways', exact: true }).click()
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Guide' }).click()
  await step(page).waitFor()
  const box = await step(page).boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
  await onward(page, 'Next')
  await expect.poll(() => title(page)).toBe('The rest of the project')
})
