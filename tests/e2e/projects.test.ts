import { expect, it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createPersonalProject, updateProject } from '../../contract/accounts/project-changes'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

const openAt = async (visitor: Visitor, organizationId: string) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(`${hosts().console}/organizations/${organizationId}/projects`)
  await page.getByRole('heading', { name: /^Projects/, level: 1 }).waitFor()
  return page
}
const adding = (page: Page) => page.getByRole('link', { name: 'Add Project', exact: true })
const cards = (page: Page) => page.getByRole('list', { name: 'Projects' }).getByRole('listitem')
const titles = (page: Page) => cards(page).getByRole('heading').allTextContents()

it("§2: an empty list is titled 'Projects' and says 'No projects'; the hint is only for users who can create one", async () => {
  const owner = await subscriber(hosts())
  const body = { name: 'Hedgerow' }
  const { body: organization } = await call(hosts().api, createOrganization, {}, { as: owner.token, body })
  const viewer = await newUser(hosts())
  await join(hosts(), organization.public_id, viewer, 'viewer')
  const hint = 'Get started by adding a project.'

  const theirs = await openAt(viewer, organization.public_id)
  await theirs.getByRole('heading', { name: 'Projects', exact: true }).waitFor()
  await theirs.getByRole('heading', { name: 'No projects', exact: true }).waitFor()
  expect([await theirs.getByText(hint).count(), await adding(theirs).count()]).toEqual([0, 0])

  const page = await openAt(owner, organization.public_id)
  await page.getByRole('heading', { name: 'No projects', exact: true }).waitFor()
  await page.getByText(hint, { exact: true }).waitFor()
  await adding(page).last().click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
})

it("§2: a card shows name, description and the 'Updated' date and links to its project; the newest is first", async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { api, sql } = hosts()
  const made = async (body: { name: string; description?: string }) =>
    (await call(api, createPersonalProject, {}, { as, body })).body
  const older = await made({ name: 'Orchard Gateways' })
  await sql(`update projects set created_at = created_at - interval '1 day' where id = $1`, [older.id])
  const newer = await made({ name: 'Weather Masts', description: 'On the ridge' })
  // Changed last, and still below: the order is by created_at.
  const change = { body: { description: 'Along the river' }, headers: { 'if-match': `"${older.revision}"` }, as }
  await call(api, updateProject, { projectId: older.id }, change)
  await sql(`update projects set updated_at = '2026-02-03T16:05:00Z' where id = $1`, [older.id])

  const page = await openAt(ines, 'none')
  await expect.poll(() => titles(page)).toEqual(['Weather Masts', 'Orchard Gateways'])
  const card = cards(page).filter({ hasText: 'Orchard Gateways' })
  await card.getByText('Along the river', { exact: true }).waitFor()
  // §3: MM/dd/yyyy hh:mm a, in the zone of the reader.
  const local = await page.evaluate(() => {
    const date = new Date('2026-02-03T16:05:00Z')
    const [day, hour, minute] = [date.getDate(), date.getHours() % 12 || 12, date.getMinutes()]
    const two = (value: number) => String(value).padStart(2, '0')
    return `02/${two(day)}/2026 ${two(hour)}:${two(minute)} ${date.getHours() < 12 ? 'AM' : 'PM'}`
  })
  await card.getByText(`Updated ${local}`, { exact: true }).waitFor()
  await card.getByRole('link', { name: 'Orchard Gateways', exact: true }).click()
  await page.waitForURL(`**/organizations/none/projects/${older.id}/monitor`)
  await page.goBack()
  await cards(page).getByRole('link', { name: 'Weather Masts' }).click()
  await page.waitForURL(`**/organizations/none/projects/${newer.id}/monitor`)
})

it("§2: 'Filter by name' narrows the list while it is typed, and says 'Not Found' when nothing is left", async () => {
  const ines = await subscriber(hosts())
  for (const name of ['Orchard Gateways', 'Weather Masts'])
    await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name } })
  const page = await openAt(ines, 'none')
  const box = page.getByRole('searchbox', { name: 'Filter by name', exact: true })
  await expect.poll(() => box.getAttribute('placeholder')).toBe('Filter by name')
  await box.fill('orch')
  await expect.poll(() => titles(page)).toEqual(['Orchard Gateways'])
  await box.fill('lighthouse')
  await page.getByRole('heading', { name: 'Not Found', exact: true }).waitFor()
  await expect.poll(() => cards(page).count()).toBe(0)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect.poll(() => cards(page).count()).toBe(2)
  await expect.poll(() => box.inputValue()).toBe('')
})
