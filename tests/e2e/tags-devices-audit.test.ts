import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createDevice, device, updateDevice } from '../../contract/fleet/devices'
import { createInvites } from '../../contract/accounts/invites'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import { createTag } from '../../contract/fleet/tags'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, subscriber } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

it('leads from creating a tag through adding it to a device to the audit log of both', async () => {
  const ines = await newUser(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const fresh = { name: 'gw-0417-north', hardware_model: 'gw', metadata: { row: 4 } }
  const { body: made } = await call(api, createDevice, { projectId: project.id }, { as, body: fresh })
  const context = await open(ines)
  const page = await context.newPage()
  const place = `${console}/organizations/none/projects/${project.id}`
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()

  // §2: an empty list says so; an invalid name has its error beneath it, and typed text stays.
  await page.goto(`${place}/tags`)
  await page.getByRole('heading', { name: 'Not Found' }).waitFor()
  await page.getByRole('link', { name: 'Add Tag' }).click()
  await field('Name').fill('Not A Tag')
  await field('Description').fill('Gets a release before anyone else')
  await page.getByRole('radio', { name: 'ochre' }).check()
  await save()
  // Strict: there is one such text.
  await page.getByText('Use lower-case letters, digits, dots, dashes and underscores').waitFor()
  await field('Name').fill('canary')
  await save()
  await page.getByRole('row', { name: /canary Gets a release before anyone else/ }).waitFor()

  // §2: it is edited by its page.
  await page.getByRole('link', { name: 'canary' }).click()
  await page.waitForURL(/\/tags\/list\/[^/]+\/edit$/)
  await field('Description').fill('Gets a release first')
  await save()
  await page.getByRole('row', { name: /canary Gets a release first/ }).waitFor()

  // The device gets it. Another user changes the same device meanwhile: both changes are kept.
  await page.goto(`${place}/devices/list/${made.id}/edit`)
  await page.getByRole('button', { name: 'Format' }).waitFor()
  await page.getByRole('combobox', { name: 'Tags' }).fill('can')
  await page.getByRole('option', { name: 'canary' }).click()
  await page.keyboard.press('Escape')
  await field('Metadata').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('{"row" 5}')
  await save()
  await page.getByText('Line 1, column 8: a colon is expected').waitFor()
  await field('Metadata').click()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('{"row": 5}')
  const theirs = { body: { notes: 'On the roof' }, headers: { 'if-match': `"${made.revision}"` }, as }
  await call(api, updateDevice, { deviceId: made.id }, theirs)
  await save()
  const changes = page.getByRole('table', { name: 'What has changed' })
  await changes.getByRole('row', { name: /Notes – On the roof not changed/ }).waitFor()
  await page.getByRole('button', { name: 'Save again' }).click()
  await page.getByRole('heading', { name: 'gw-0417-north', exact: true }).waitFor()
  const { body: now } = await call(api, device, { deviceId: made.id }, { as })
  expect([now.tags.map(({ name }) => name), now.metadata, now.notes]).toEqual([['canary'], { row: 5 }, 'On the roof'])

  // Deleting a tag in use requires a confirmation.
  await page.goto(`${place}/tags/list`)
  await page.getByRole('link', { name: 'canary' }).click()
  await page.getByRole('button', { name: 'Delete tag' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByText('1 device uses it.').waitFor()
  await expect.poll(() => dialog.getByRole('button', { name: 'Delete tag' }).isDisabled()).toBe(true)
  await dialog.getByText('Remove from all and delete').click()
  await dialog.getByRole('button', { name: 'Delete tag' }).click()
  await page.getByRole('heading', { name: 'Not Found' }).waitFor()

  // All of it is in the audit log; the URL keeps the filters.
  await page.goto(`${place}/auditLog?target_kind=device`)
  await page.getByText(/^verified 1–\d+$/).waitFor()
  await page.getByRole('button', { name: 'device.update' }).first().click()
  const entry = page.getByRole('dialog', { name: /^Entry \d+$/ })
  await entry.getByText('Recomputed in this browser, equal').waitFor()
  await entry.getByText(/"row": ?5/).waitFor()
  expect(new URL(page.url()).searchParams.get('target_kind')).toBe('device')
  await page.getByRole('button', { name: 'Clear Target' }).click()
  await page.getByRole('button', { name: 'tag.delete' }).waitFor()
  await entry.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /NDJSON/ }).click()])
  expect(file.suggestedFilename()).toBe('audit-log.ndjson')
})

it('shows a denied action in the audit log, with the actor and the missing permission', async () => {
  const [ines, vera] = [await newUser(hosts()), await newUser(hosts())]
  const { api, console, sql } = hosts()
  const { body: project } = await call(api, createPersonalProject, {}, { as: ines.token, body: { name: 'Orchard' } })
  await sql(
    `insert into project_guests (project_id, user_id, role, joined_at)
     select $1, id, 'viewer', now() from users where email = $2`,
    [project.id, vera.email],
  )
  const tag = { as: vera.token, body: { name: 'canary', colour: 'ochre' as const } }
  expect(await statusOf(api, createTag, { projectId: project.id }, tag)).toBe(403)
  const page = await (await open(ines)).newPage()
  await page.goto(`${console}/organizations/none/projects/${project.id}/auditLog`)
  await page.getByRole('button', { name: 'project.create' }).waitFor()
  await page.getByRole('combobox', { name: 'Result' }).click()
  await page.getByRole('option', { name: 'denied' }).click()
  await page.getByRole('button', { name: 'project.create' }).waitFor({ state: 'detached' })
  const row = page.getByRole('row', { name: /tag\.create/ })
  await row.getByText('denied').filter({ visible: true }).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await row.getByText('denied').filter({ visible: true }).waitFor()
  await page.getByRole('button', { name: 'tag.create' }).click()
  const entry = page.getByRole('dialog', { name: /^Entry \d+$/ })
  await entry.getByText('requires project:manage_devices').waitFor()
  await entry.getByText(vera.email).waitFor()
  await entry.getByText('Recomputed in this browser, equal').waitFor()
})

it('shows the actions of an organization and its projects to members who may see its audit log', async () => {
  const [ines, vera] = [await subscriber(hosts()), await newUser(hosts())]
  const { api, console } = hosts()
  const as = ines.token
  const { body: organization } = await call(api, createOrganization, {}, { as, body: { name: 'Orchard' } })
  const organizationId = organization.public_id
  await join(hosts(), organizationId, vera, 'viewer')
  const { body: project } = await call(api, createOrganizationProject, { organizationId }, { as, body: { name: 'Gateways' } })
  const invited = { emails: ['mara@hedgerow.example'], base_role: 'viewer' as const }
  await call(api, createInvites, { organizationId }, { as, body: invited })
  const place = `${console}/account/settings/organizations/list/${organizationId}`
  const page = await (await open(ines)).newPage()
  await page.goto(`${place}/summary`)
  const tabs = page.getByRole('navigation', { name: 'Organization' })
  await tabs.getByRole('link', { name: 'Audit Log' }).click()
  await page.getByText('verified 1–3').waitFor()
  await page.getByRole('button', { name: 'invite.create' }).click()
  const entry = page.getByRole('dialog', { name: 'Entry 3' })
  await entry.getByText(ines.email).waitFor()
  await entry.getByText('Recomputed in this browser, equal').waitFor()
  await entry.getByRole('link', { name: 'Filter by this target' }).click()
  await page.getByRole('button', { name: 'project.create' }).waitFor({ state: 'detached' })
  expect(new URL(page.url()).pathname).toBe(new URL(`${place}/audit-log`).pathname)

  // Exporting adds an entry.
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /NDJSON/ }).click()])
  const [told = '', ...lines] = (await readFile(await file.path(), 'utf8')).trimEnd().split('\n')
  // One entry, and the last line with its signature.
  expect([JSON.parse(told), lines.length]).toMatchObject([{ organization_id: organizationId, head_sequence: 3 }, 2])
  await page.getByRole('button', { name: 'Clear Target' }).click()
  await page.getByRole('button', { name: 'audit.export' }).waitFor()

  // An entry of a project leads to the log of the project.
  await page.getByRole('button', { name: 'project.create' }).click()
  await page.getByRole('dialog', { name: 'Entry 2' }).getByRole('link', { name: 'Gateways' }).click()
  await page.waitForURL(`${console}/organizations/${organizationId}/projects/${project.id}/auditLog`)
  await page.getByRole('heading', { name: 'Audit Log' }).waitFor()
  await page.getByText('Missing numbers belong to other projects, or to the organization itself').waitFor()

  const theirs = await (await open(vera)).newPage()
  await theirs.goto(`${place}/members`)
  await theirs.getByRole('row', { name: new RegExp(ines.email) }).waitFor()
  expect(await theirs.getByRole('navigation', { name: 'Organization' }).getByRole('link').allTextContents()).toEqual([
    'Summary',
    'Members 2',
  ])
  await theirs.goto(`${place}/audit-log`)
  await theirs.getByText('Needs “view audit log of the organization”. Roles that have it: owner, admin, auditor.').waitFor()
  await theirs.getByRole('button', { name: 'Ask for access' }).waitFor()
})

it('a link to an entry that is not among those shown says so, and opens it without the filter that leaves it out', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  await call(hosts().api, createTag, { projectId }, { as: ines.token, body: { name: 'canary', colour: 'moss' } })
  const page = await (await open(ines)).newPage()
  const list = `${hosts().console}/organizations/none/projects/${projectId}/auditLog`
  await page.goto(list)
  await page.getByRole('button', { name: 'tag.create' }).click()
  const entry = page.getByRole('dialog', { name: /^Entry \d+$/ })
  await entry.waitFor()
  const text = page.getByText('The entry of this link is not among those shown.', { exact: false })
  expect(await text.count()).toBe(0)
  const id = new URL(page.url()).searchParams.get('entry')
  await page.goto(`${list}?entry=${id}&action=project.create`)
  await text.waitFor()
  expect(await entry.count()).toBe(0)
  await page.getByRole('button', { name: 'Clear Action' }).click()
  await entry.waitFor()
  await text.waitFor({ state: 'detached' })
  await page.goto(`${list}?entry=${id}&action=device.create`)
  await page.getByRole('heading', { name: 'Not Found' }).waitFor()
  await text.waitFor()
})
