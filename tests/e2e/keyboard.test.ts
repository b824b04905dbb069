import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { subscriber } from './support/hosts'
import { highlighted } from './support/options'
import { type Person, someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const { hosts, open } = useConsole()

/** The focused element, by its accessible name. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    const label = element?.id ? document.querySelector(`label[for="${element.id}"]`)?.textContent : undefined
    return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim()
  })

/** Checks that the focused element is visible and has a focus indicator. */
const isShown = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    if (!element?.matches(':focus-visible')) return false
    const { top, left, width, height } = element.getBoundingClientRect()
    const [x, y] = [left + width / 2, top + height / 2]
    return document.elementsFromPoint(x, y)[0]?.closest('a, button, input') === element
  })

/** Presses Tab until something of this name has the focus, up to a limit. */
const tabTo = async (page: Page, name: RegExp) => {
  for (let presses = 0; presses < 60; presses++) {
    if (name.test(await focused(page))) {
      expect(await isShown(page), `the focus on ${String(name)} can be seen`).toBe(true)
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${String(name)}`)
}

const signIn = async ({ email, password }: Person): Promise<Page> => {
  const page = await (await open()).newPage()
  await page.goto(hosts().console)
  await page.waitForURL(`${hosts().signIn}/signin**`)
  await tabTo(page, /E-mail/)
  await page.keyboard.type(email)
  await tabTo(page, /^Password/)
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${hosts().console}/organizations/**`)
  return page
}

it('leads from sign-in over the organization switcher to a project without a pointer', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  for (const name of ['Hedgerow Instruments', 'Reedbed Contract Works']) {
    const { body } = await call(hosts().api, createOrganization, {}, { as, body: { name } })
    const params = { organizationId: body.public_id }
    await call(hosts().api, createOrganizationProject, params, { as, body: { name: `Gateways of ${name}` } })
  }
  const page = await signIn(ines)
  await page.getByRole('link', { name: 'Gateways of Hedgerow Instruments', exact: true }).waitFor()
  await tabTo(page, /^Organization: Hedgerow Instruments$/)
  await page.keyboard.press('Enter')
  await page.getByRole('option', { name: 'Reedbed Contract Works' }).waitFor()
  await page.keyboard.type('reed')
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['Reedbed Contract Works'])
  await highlighted(page, 'Reedbed Contract Works')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Gateways of Reedbed Contract Works', exact: true }).waitFor()
  await tabTo(page, /^Gateways of Reedbed Contract Works$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
})

it('leads from sign-in to a new project and through its menu without a pointer', async () => {
  const person = someone()
  await signUpOverHttp(hosts(), person)
  const page = await signIn(person)

  // The questionnaire takes the focus when it opens, and returns it.
  const questionnaire = page.getByRole('dialog', { name: 'Set up your account' })
  await questionnaire.waitFor()
  await page.keyboard.press('Escape')
  await questionnaire.waitFor({ state: 'detached' })

  await tabTo(page, /^Add Project$/)
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  await tabTo(page, /^Name/)
  await page.keyboard.type('Orchard Gateways')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()

  await tabTo(page, /^Devices$/)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Devices', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or jump to' }).waitFor()
  await page.keyboard.type('general')
  await page.getByRole('option', { name: 'General', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/\/settings\/general$/)

  await tabTo(page, /^User Menu$/)
  await page.keyboard.press('Enter')
  // The menu takes the focus a frame after it opens.
  await page.locator('[role=menu]:focus').waitFor()
  await page.keyboard.press('End')
  await page.locator('[role=menuitem][data-highlighted]', { hasText: 'Sign Out' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${hosts().signIn}/signin**`)
})
