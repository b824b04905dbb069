import { expect, it } from 'vitest'
import type { Page } from './support/browser'
import { useConsole } from './support/console'
import { someone } from './support/people'
import { signUpOverHttp } from './support/visitor'

const { hosts, open } = useConsole()

/** What has the focus, by its accessible name. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement
    const label = element?.id ? document.querySelector(`label[for="${element.id}"]`)?.textContent : undefined
    return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim()
  })

/** Tab until something of this name has the focus; nobody would go on longer than this. */
const tabTo = async (page: Page, name: RegExp) => {
  for (let presses = 0; presses < 60; presses++) {
    if (name.test(await focused(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${String(name)}`)
}

it('leads from sign-in to a project and through its menu without a pointer', async () => {
  const person = someone()
  await signUpOverHttp(hosts(), person)
  const page = await (await open()).newPage()
  await page.goto(hosts().console)
  await page.waitForURL(`${hosts().signIn}/signin**`)
  await tabTo(page, /E-mail/)
  await page.keyboard.type(person.email)
  await tabTo(page, /^Password/)
  await page.keyboard.type(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${hosts().console}/organizations/**`)

  // The questionnaire takes the focus when it opens, and gives it back.
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
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/\/settings\/general$/)

  await tabTo(page, /^User Menu$/)
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Sign Out' }).waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${hosts().signIn}/signin**`)
})
