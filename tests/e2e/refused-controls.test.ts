import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { accessRequests } from '../../contract/accounts/access-requests'
import { permissions, permissionWords } from '../../contract/core/permissions'
import { isPage, readRoutes } from '../support/routes'
import { openPageCheck } from './every-route/check-page'
import { busy } from './every-route/datasets'
import { refusedControls } from './every-route/refused-controls'
import { visits } from './every-route/visits'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

it('a press on a refused control in an organization asks for its permission; the request reaches those who decide', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })
  const organizationId = made.public_id
  const { body: gateways } = await call(
    hosts().api,
    createOrganizationProject,
    { organizationId },
    { as, body: { name: 'Gateways' } },
  )
  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const page = await (await open(vera)).newPage()
  await page.goto(`${hosts().console}/organizations/${organizationId}/projects/${gateways.id}/tags/list`)
  const add = page.getByRole('button', { name: 'Add Tag' })
  await expect
    .poll(() => add.evaluate((one) => document.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent))
    .toBe('Needs “manage devices”. Roles that have it: owner, admin, developer, operator. Press to ask for access.')
  // The listener for such presses loads later, with the name of the environment.
  await page.getByText('local', { exact: true }).waitFor()
  await add.click({ force: true })
  const dialog = page.getByRole('dialog', { name: 'Ask for “manage devices”?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('For the fair')
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await call(hosts().api, accessRequests, { organizationId }, { as })
  const [asked] = body.access_requests
  expect([asked?.permission, asked?.project_id, asked?.reason]).toEqual(['project:manage_devices', gateways.id, 'For the fair'])

  // A switch is pressed by its label; a button also from the keyboard.
  await hosts().sql(`update members set base_role = 'developer' where user_id = (select id from users where email = $1)`, [
    vera.email,
  ])
  await page.goto(`${hosts().console}/organizations/${organizationId}/projects/${gateways.id}/settings/general`)
  await page.getByText('Needs “manage members”.', { exact: false }).waitFor()
  await page.getByText('local', { exact: true }).waitFor()
  await page.getByText('Rollouts need approval by a second person').click({ force: true })
  await page.getByRole('dialog', { name: 'Ask for “manage members”?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete project' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Ask for “delete projects”?' }).waitFor()
})

type Control = { name: string; permission: string }

/**
 * What the page refuses: its disabled controls, and its button to ask for the page itself. Those of one name are listed once.
 * `press` clicks the one of this name.
 */
const findRefused = async (page: Page, press?: string): Promise<Control[]> => {
  const found = await page.evaluate((wanted) => {
    const all = document.querySelectorAll<HTMLElement>('[aria-disabled=true], label:has(:disabled), :disabled, button')
    const controls = [...all].flatMap((one) => {
      const isAsk = one.textContent === 'Ask for access'
      const isInAnother = one.matches(':disabled') && one.closest('label, [aria-disabled=true]') !== null
      if (isInAnother || (!isAsk && one.matches('button:enabled:not([aria-disabled=true])'))) return []
      const described = document.getElementById(one.getAttribute('aria-describedby') ?? '')
      const reason = isAsk ? one.closest('[role=alert]') : (described ?? one)
      const permission = /Needs “([^”]+)”/.exec(reason?.textContent ?? '')?.[1] ?? 'none'
      const name = one.getAttribute('aria-label') ?? one.getAttribute('name') ?? one.textContent.split('Needs ')[0] ?? ''
      return [{ one, name: name.trim(), permission }]
    })
    controls.find(({ name }) => name === wanted)?.one.click()
    return controls
      .filter(({ name }, at) => controls.findIndex((one) => one.name === name) === at)
      .map(({ name, permission }) => ({ name, permission }))
  }, press)
  const idOf = (words: string) => permissions.find((one) => permissionWords(one) === words) ?? words
  return found.map(({ name, permission }) => ({ name, permission: idOf(permission) }))
}

/** A press of the control asks for its permission. */
const press = async (page: Page, { name, permission }: Control) => {
  await findRefused(page, name)
  const dialog = page.getByRole('dialog', { name: `Ask for “${permissionWords(permission)}”?` })
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  // Any key ends the exit of the dialog, which a script's click does not.
  await page.keyboard.press('Shift')
}

it('every control that a viewer is refused on any route is in the table, and asks for its permission', async () => {
  const { addressesOf } = await busy(hosts())
  const [address = ''] = addressesOf('/account/settings/organizations/list/$organizationId/summary')
  const [, organizationId = ''] = /list\/([^/]+)/.exec(address) ?? []
  const [home = ''] = addressesOf('/organizations/$organizationId/projects/$projectId/monitor')
  const [, projectId] = /projects\/([^/]+)/.exec(home) ?? []
  // Guests of a personal project cannot ask: it becomes one of the organization.
  await hosts().sql(
    `update projects set name = 'Orchard', owner_id = null, organization_id = (select id from organizations where public_id = $1)
     where id = $2`,
    [organizationId, projectId],
  )
  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const page = await (await open(vera)).newPage()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const look = openPageCheck(page)
  await page.goto(`${hosts().console}/account/settings/profile`)
  await page.getByText('local', { exact: true }).waitFor()
  await look.settle()
  const found: Record<string, Record<string, string>> = {}
  for (const { fullPath } of readRoutes().filter(isPage)) {
    if (visits[fullPath]?.around) continue
    for (const href of addressesOf(fullPath)) {
      await look.go(href.replace('/organizations/none/', `/organizations/${organizationId}/`))
      // The button of the first refused page is loaded when it is needed.
      if (
        (await page
          .getByRole('alert')
          .getByText(/^Needs /)
          .count()) > 0
      )
        await page.getByRole('button', { name: 'Ask for access' }).waitFor()
      // The setup steps appear only when all that decides them is known.
      if (fullPath.endsWith('/monitor')) await page.getByText('Roll out a release').waitFor()
      for (const control of await findRefused(page)) {
        const { name, permission } = control
        found[fullPath] = { ...found[fullPath], [name]: permission }
        if (permission !== 'none') await press(page, control)
      }
    }
  }
  expect(found).toEqual(refusedControls)
})
