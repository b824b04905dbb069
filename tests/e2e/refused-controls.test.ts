import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/organization'
import { createOrganizationProject } from '../../contract/project-changes'
import { accessRequests } from '../../contract/access-requests'
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
    .toBe('Needs project:manage_devices. Roles that have it: owner, admin, developer, operator. Press to ask for access.')
  // The listener for such presses loads later, with the name of the environment.
  await page.getByText('local', { exact: true }).waitFor()
  await add.click({ force: true })
  const dialog = page.getByRole('dialog', { name: 'Ask for project:manage_devices?' })
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
  await page.getByText('Needs project:manage_members.', { exact: false }).waitFor()
  await page.getByText('local', { exact: true }).waitFor()
  await page.getByText('Rollouts need approval by a second person').click({ force: true })
  await page.getByRole('dialog', { name: 'Ask for project:manage_members?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete project' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Ask for project:delete?' }).waitFor()
})
