import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { createTag } from '../../contract/fleet/tags'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

it('an owner gives a member another role in one project, undoes it, and the member’s open page says what is missing', async () => {
  const [ines, vera] = [await subscriber(hosts()), await newUser(hosts())]
  const { api, console } = hosts()
  const { body: organization } = await call(api, createOrganization, {}, { as: ines.token, body: { name: 'Orchard' } })
  const organizationId = organization.public_id
  await join(hosts(), organizationId, vera, 'viewer')
  const made = { as: ines.token, body: { name: 'Gateways' } }
  const { body: project } = await call(api, createOrganizationProject, { organizationId }, made)
  const tag = (name: string) =>
    statusOf(api, createTag, { projectId: project.id }, { as: vera.token, body: { name, colour: 'sky' as const } })
  const page = await (await open(ines)).newPage()
  await page.goto(`${console}/account/settings/organizations/list/${organizationId}/members`)
  const row = page.getByRole('row', { name: new RegExp(vera.email) })
  await row.getByRole('button', { name: /^Roles of/ }).click()
  const dialog = page.getByRole('dialog', { name: /^Roles of/ })
  const role = dialog.getByRole('combobox', { name: /in Gateways$/ })
  const choose = async (name: string | RegExp) => {
    await role.click()
    await page.getByRole('option', { name }).click()
    await role.getByText(name).waitFor()
    await dialog.getByRole('button', { name: 'Undo the change in Gateways' }).waitFor()
  }
  await choose('maintainer')
  await expect.poll(() => tag('a')).toBe(201)

  // The member is on the page when the role is taken away again.
  const theirs = await (await open(vera)).newPage()
  await theirs.goto(`${console}/organizations/${organizationId}/projects/${project.id}/tags/list/add`)
  await theirs.getByRole('textbox', { name: 'Name', exact: true }).fill('canary')
  await dialog.getByRole('button', { name: 'Undo the change in Gateways' }).click()
  await role.getByText('viewer, as in the organization').waitFor()
  await expect.poll(() => tag('b')).toBe(403)
  await theirs.getByRole('button', { name: 'Save', exact: true }).click()
  await theirs
    .getByText(/Needs “manage devices”/)
    .first()
    .waitFor()

  await choose('operator')
  await expect.poll(() => tag('c')).toBe(201)
  await choose(/as in the organization/)
  await expect.poll(() => tag('d')).toBe(403)
  await dialog.getByRole('button', { name: 'Close' }).click()
})

it('an owner transfers a project to another organization by typing its name, and back', async () => {
  const ines = await subscriber(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const organization = async (name: string) => (await call(api, createOrganization, {}, { as, body: { name } })).body.public_id
  const [from, to] = [await organization('Orchard'), await organization('Meadow')]
  const { body: project } = await call(
    api,
    createOrganizationProject,
    { organizationId: from },
    { as, body: { name: 'Gateways' } },
  )
  const page = await (await open(ines)).newPage()
  const settings = (organizationId: string) =>
    `${console}/organizations/${organizationId}/projects/${project.id}/settings/general`
  await page.goto(settings(from))
  await page.getByRole('button', { name: 'Transfer project' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Transfer Gateways' })
  const confirm = dialog.getByRole('button', { name: 'Transfer project' })
  await dialog.getByRole('combobox', { name: /New owner/ }).click()
  await page.getByRole('option', { name: 'Meadow' }).click()
  await dialog.getByText('Members of Orchard lose access, unless they are members of Meadow too.', { exact: false }).waitFor()
  await dialog.getByText('You can transfer it back.').waitFor()
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('Gateways')
  await confirm.click()
  await page.waitForURL(`${settings(to)}*`)
  await page.getByText('Gateways now belongs to Meadow').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL(`${settings(from)}*`)
  await page.goto(`${console}/organizations/${from}/projects/${project.id}/auditLog`)
  await expect.poll(() => page.getByRole('button', { name: 'project.transfer' }).count()).toBe(2)
})
