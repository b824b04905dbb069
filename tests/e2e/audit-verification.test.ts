import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { createTag } from '../../contract/fleet/tags'
import { runVerifyCommand } from '../../server/accounts/audit/verify-command'
import { call } from './support/call'
import { useConsole } from './support/console'
import { subscriber } from './support/hosts'

const { hosts, open } = useConsole()

const organizationWithTwoProjects = async () => {
  const ines = await subscriber(hosts())
  const { api } = hosts()
  const as = ines.token
  const { body: organization } = await call(api, createOrganization, {}, { as, body: { name: 'Orchard' } })
  const organizationId = organization.public_id
  const add = async (name: string) =>
    (await call(api, createOrganizationProject, { organizationId }, { as, body: { name } })).body.id
  const [one, two] = [await add('Gateways'), await add('Sensors')]
  for (const name of ['a', 'b'])
    for (const projectId of [one, two]) await call(api, createTag, { projectId }, { as, body: { name, colour: 'sky' as const } })
  return { ines, organizationId, one }
}

it('T-20: verifies a whole log in a worker of the browser, names the entry that was changed, and can be cancelled', async () => {
  const { ines, organizationId, one } = await organizationWithTwoProjects()
  const { console, sql } = hosts()
  const page = await (await open(ines)).newPage()
  const dialog = page.getByRole('dialog', { name: 'Verify the audit log' })

  // The log of a project: entries of others count by their links.
  await page.goto(`${console}/organizations/${organizationId}/projects/${one}/auditLog`)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await dialog.getByText('Verified: no entry from 1 to 7 was changed, removed or moved.').waitFor()
  expect(page.workers()).toEqual([])
  await dialog.getByText('7 of 7 entries').waitFor()
  await dialog.getByText('4 entries outside this project, which are not shown here').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()

  await page.goto(`${console}/account/settings/organizations/list/${organizationId}/audit-log`)
  await page.getByRole('button', { name: 'Export' }).click()
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name: /NDJSON/ }).click()])
  const folder = await mkdtemp(pathOf(tmpdir(), 'teasel-export-'))
  const saved = pathOf(folder, 'log.ndjson')
  await file.saveAs(saved)
  expect(await runVerifyCommand(saved)).toBe(0)
  await rm(folder, { recursive: true })

  await sql(`set session_replication_role = replica; update audit_entries set reason = 'x' where sequence = 3
    and chain_id = (select id from organizations where public_id = '${organizationId}'); set session_replication_role = origin`)
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await dialog.getByText(/Entry 3 was changed: its hash does not match its fields/).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await dialog.waitFor({ state: 'detached' })

  // The answer never comes: the verification ends when it is cancelled.
  await page.route('**/audit_log/chain?*', () => {})
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await dialog.getByText('Reading the log').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByText('Cancelled. The rest of the log was not verified.').waitFor()
})
