import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { openPageCheck, sideways, violations, withAxe } from './every-route/check-page'
import { checkInThemes } from './every-route/check-in-themes'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, anonymousVisitor, type Visitor } from './support/hosts'

const { hosts, open } = useConsole()

const projects = () => `${hosts().console}/organizations/none/projects`
/** A page to check with axe, and a list of all findings. */
const visit = async (visitor: Visitor, address: string) => {
  const context = await open(visitor)
  await withAxe(context)
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  const { settle } = openPageCheck(page)
  const findings: string[] = []
  // A menu and a list of options are in the body, outside of the landmark of their button.
  const note = (name: string, found: string[]) => {
    const ours = found.filter((one) => !(/\bregion: /.test(one) && one.includes('data-part="positioner"')))
    findings.push(...ours.map((one) => `${name}: ${one}`))
  }
  const look = async (name: string) => note(name, await checkInThemes(page, settle, `over ${name}`))
  /** Checks the current state only at one width. */
  const glance = async (name: string) => {
    await settle()
    note(name, [...(await violations(page)), ...(await sideways(page))])
  }
  await page.goto(address)
  return { page, look, glance, findings }
}

it('overlays break no rule of axe and do not scroll the page sideways', async () => {
  const ines = await newUser(hosts())
  await call(hosts().api, createOrganization, {}, { as: ines.token, body: { name: 'Hedgerow' } })
  const projectId = await projectOf(hosts(), ines)
  const { page, look, glance, findings } = await visit(ines, `${projects()}/${projectId}/monitor`)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()

  await page.keyboard.press('Control+k')
  const box = page.getByRole('dialog', { name: 'Search or jump to' }).getByRole('combobox')
  await box.waitFor()
  await look('palette')
  await box.fill('no such thing')
  await page.getByText('No device, release, project, page or action has this name.').waitFor()
  await look('palette, nothing found')
  await page.keyboard.press('Escape')
  await box.waitFor({ state: 'detached' })

  await page.getByRole('button', { name: 'User Menu' }).click()
  await page.getByRole('menu').waitFor()
  await look('user menu')
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })

  await page.getByRole('button', { name: /^Organization:/ }).click()
  await page.getByRole('option', { name: 'Hedgerow' }).waitFor()
  await glance('organization switcher')
  await page.getByPlaceholder('Choose an organization').fill('nothing like it')
  await page.getByText('Not Found', { exact: true }).waitFor()
  await glance('organization switcher, nothing found')
  await page.getByPlaceholder('Choose an organization').fill('')
  await page.keyboard.press('Escape')
  await page.getByRole('option', { name: 'Hedgerow' }).waitFor({ state: 'hidden' })

  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('button', { name: 'Menu', exact: true }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Monitor' }).waitFor()
  await glance('navigation')
  expect(findings).toEqual([])
})

it('the questionnaire breaks no rule of axe and does not scroll the page sideways', async () => {
  const { page, look, glance, findings } = await visit(await anonymousVisitor(hosts()), projects())
  const asked = page.getByRole('dialog', { name: 'Set up your account' })
  await asked.waitFor()
  await look('questionnaire')
  await asked.getByRole('combobox', { name: 'Country' }).fill('nothing like it')
  await page.getByText('Not Found', { exact: true }).waitFor()
  await glance('a choice with nothing found')
  expect(findings).toEqual([])
})

it('the dialogs of access tokens and webhooks break no rule of axe and do not scroll the page sideways', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { page, glance, findings } = await visit(ines, `${projects()}/${projectId}/access`)
  const look = async (name: string, button: string) => {
    await page.getByRole('button', { name: button, exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: button, exact: true }).waitFor()
    await glance(name)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await glance(`${name}, dark, 390 px`)
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await look('access token', 'Add access token')
  await page.getByRole('link', { name: 'Open webhooks' }).click()
  await look('webhook', 'Add webhook')
  expect(findings).toEqual([])
})
