import { expect, it } from 'vitest'
import { createOrganization } from '../../../contract/accounts/organization'
import { createOrganizationProject } from '../../../contract/accounts/project-changes'
import type { Page } from '../support/browser'
import { call } from '../support/call'
import { useConsole } from '../support/console'
import { subscriber } from '../support/hosts'

const { hosts, open } = useConsole()

/** A user with two organizations, a project in each. */
const twoHouses = async () => {
  const ines = await subscriber(hosts())
  const found = async (name: string) => {
    const { body } = await call(hosts().api, createOrganization, {}, { as: ines.token, body: { name } })
    const organizationId = body.public_id
    await call(hosts().api, createOrganizationProject, { organizationId }, { as: ines.token, body: { name: `${name} house` } })
    return organizationId
  }
  return { ines, alder: await found('Alder'), birch: await found('Birch') }
}
const projectsOf = (word: string, query = '') => `${hosts().console}/organizations/${word}/projects${query}`
const stands = (page: Page, name: string) => page.getByRole('link', { name: `${name} house`, exact: true }).waitFor()
const choose = async (page: Page, name: string) => {
  await page.getByRole('button', { name: /^Organization: / }).click()
  await page.getByRole('option', { name, exact: true }).click()
}

it('two tabs show two organizations: the address decides, the stored one is only a default', async () => {
  const { ines, alder, birch } = await twoHouses()
  const context = await open(ines)
  const [one, other] = [await context.newPage(), await context.newPage()]
  await one.goto(projectsOf(alder))
  await stands(one, 'Alder')
  await other.goto(projectsOf(birch))
  await stands(other, 'Birch')
  await one.reload()
  await stands(one, 'Alder')
  // Links in each tab lead to its own organization, even if the other one was opened later.
  await other.getByRole('link', { name: 'Add Project' }).click()
  await one.getByRole('link', { name: 'Add Project' }).click()
  await one.waitForURL(`${projectsOf(alder)}/add`)
  await other.waitForURL(`${projectsOf(birch)}/add`)
  await expect.poll(() => one.getByRole('button', { name: 'Organization: Alder' }).count()).toBe(1)
  await expect.poll(() => other.getByRole('button', { name: 'Organization: Birch' }).count()).toBe(1)
  // The last verified organization of any tab is the default of a page without one.
  const next = await context.newPage()
  await next.goto(hosts().console)
  await next.waitForURL(projectsOf(alder))
  await stands(next, 'Alder')
})

it('choosing an organization shows its projects and keeps the query string', async () => {
  const { ines, alder, birch } = await twoHouses()
  const page = await (await open(ines)).newPage()
  const query = '?experimental=true&from=mail&from=again'
  await page.goto(projectsOf(alder, query))
  await stands(page, 'Alder')
  await choose(page, 'Birch')
  await page.waitForURL(projectsOf(birch, query))
  await stands(page, 'Birch')
  await choose(page, 'No Organization')
  await page.waitForURL(projectsOf('none', query))
  await page.getByText('No projects').waitFor()
  // It was a choice of the user, so Back undoes it.
  await page.goBack()
  await page.waitForURL(projectsOf(birch, query))
  await stands(page, 'Birch')
})
