import { expect, it } from 'vitest'
import { createDevice } from '../../contract/fleet/devices'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'
import { scrolledBy600 } from './support/options'

const { hosts, open } = useConsole()

it('menus of the header and of the bar at the bottom of a phone stay in their place when the page scrolls', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const body = { name: 'gw-1', hardware_model: 'gw' }
  const { body: device } = await call(hosts().api, createDevice, { projectId }, { as: ines.token, body })
  const page = await (await open(ines)).newPage()
  await page.setViewportSize({ width: 390, height: 500 })
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/list/${device.id}/update-events`)
  await page.getByRole('heading', { name: 'gw-1', level: 1 }).waitFor()
  // The page of a new device is too short to scroll.
  await page.evaluate(() => (document.body.style.paddingBottom = '2000px'))
  for (const [menu, entry] of [
    ['More actions', 'Decommission…'],
    ['User Menu', 'Sign Out'],
  ] as const) {
    await page.getByRole('button', { name: menu, exact: true }).click()
    const item = page.getByRole('menuitem', { name: entry })
    await item.waitFor()
    expect(await scrolledBy600(item), menu).toEqual({ page: 600, entry: 0 })
    await page.keyboard.press('Escape')
    await item.waitFor({ state: 'detached' })
    await page.evaluate(() => window.scrollTo(0, 0))
  }
})
