import { afterAll, beforeAll, expect, it } from 'vitest'
import { accessRequests } from '../../contract/accounts/access-requests'
import { createOrganization } from '../../contract/accounts/organization'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { type Browser, openBrowser, openContext } from './support/browser'
import { call } from './support/call'
import { type Hosts, newUser, openSignedIn, startHosts, subscriber } from './support/hosts'
import { join } from './support/members'
import { signUp, someone } from './support/people'

let hosts: Hosts, browser: Browser
beforeAll(async () => {
  hosts = await startHosts()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await hosts?.stop()
})

it('§2, §4: a subscription gives the production plan and the organization switcher; its end removes them', async () => {
  const { context, complaints } = await openContext(browser)
  const page = await context.newPage()
  await signUp(page, hosts, someone('Dora Finch'))
  const switcher = page.getByRole('button', { name: /^Organization:/ })
  const account = async () => {
    await page.goto(`${hosts.console}/account/settings/subscriptions`)
    await page.getByRole('heading', { name: 'Subscriptions' }).waitFor()
  }
  await account()
  await page.getByText('0 of 3').waitFor()
  await expect.poll(() => switcher.count()).toBe(0)
  // The same name everywhere: that of the plan itself.
  await expect.poll(() => page.getByRole('main').innerText()).toMatch(/^developer$/m)

  await page.getByRole('button', { name: 'Upgrade to production' }).click()
  await page.waitForURL(`${hosts.signIn}/billing**`)
  await page.getByRole('button', { name: 'Subscribe to production' }).click()
  await page.waitForURL(`${hosts.console}/account/settings/subscriptions`)
  await page.getByText('Visa ending in 4242').waitFor()
  await page.getByText('0 of 100').waitFor()
  await page.getByRole('cell', { name: 'Paid' }).waitFor()
  await switcher.waitFor()

  await page.getByRole('link', { name: 'Billing portal' }).click()
  await page.getByRole('button', { name: 'Let a payment fail' }).click()
  await page.getByText('payment failed').waitFor()
  await page.getByRole('link', { name: 'Back to the console' }).click()
  await page.getByText('Past due: the last payment failed').waitFor()
  await expect.poll(() => switcher.count()).toBe(1)

  await page.goto(`${hosts.signIn}/billing`)
  await page.getByRole('button', { name: 'End now' }).click()
  await page.getByText('developer plan, no subscription').waitFor()
  await account()
  await page.getByText('0 of 3').waitFor()
  await page.getByText('Ended').waitFor()
  await expect.poll(() => switcher.count()).toBe(0)
  expect(complaints).toEqual([])
  await context.close()
})

it('Add Project shows the limit of the plan and its usage before a refusal', async () => {
  const ines = await newUser(hosts)
  const { context, complaints } = await openSignedIn(browser, hosts, ines)
  const page = await context.newPage()
  const visit = () => page.goto(`${hosts.console}/organizations/none/projects/add`)
  await visit()
  await page.getByText('0 of 3 projects are in use.').waitFor()
  await expect.poll(() => page.getByText('Upgrade to production or delete a project to add another').count()).toBe(0)
  for (const name of ['Gateways', 'Cameras', 'Sensors'])
    await call(hosts.api, createPersonalProject, {}, { as: ines.token, body: { name } })
  await visit()
  await page.getByText('3 of 3 projects are in use.').waitFor()
  await page.getByText('Upgrade to production or delete a project to add another').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Subscriptions' }).click()
  await page.waitForURL('**/account/settings/subscriptions')
  expect(complaints).toEqual([])
  await context.close()
})

it('a viewer who is refused the plan of an organization asks for its permission on the page of subscriptions', async () => {
  const ines = await subscriber(hosts)
  const { body: made } = await call(hosts.api, createOrganization, {}, { as: ines.token, body: { name: 'Hedgerow' } })
  const organizationId = made.public_id
  const vera = await newUser(hosts)
  await join(hosts, organizationId, vera, 'viewer')
  await hosts.sql(`update organizations set plan = 'developer' where public_id = $1`, [organizationId])
  const { context, complaints } = await openSignedIn(browser, hosts, vera)
  const page = await context.newPage()
  await page.goto(`${hosts.console}/account/settings/subscriptions`)
  await page.getByText('local', { exact: true }).waitFor()
  await page
    .getByRole('region', { name: 'Hedgerow' })
    .getByRole('button', { name: 'Upgrade to production' })
    .click({ force: true })
  const dialog = page.getByRole('dialog', { name: 'Ask for “manage billing of the organization”?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('More devices for the fair')
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { body } = await call(hosts.api, accessRequests, { organizationId }, { as: ines.token })
  expect(body.access_requests.map(({ permission, reason }) => [permission, reason])).toEqual([
    ['organization:manage_billing', 'More devices for the fair'],
  ])
  expect(complaints).toEqual([])
  await context.close()
})

it('an organization whose subscription goes on is not deleted, and says so with a link to the subscriptions, also beforehand', async () => {
  const ines = await subscriber(hosts)
  const { body: made } = await call(hosts.api, createOrganization, {}, { as: ines.token, body: { name: 'Coppice' } })
  const { public_id: organizationId } = made
  const { context } = await openSignedIn(browser, hosts, ines)
  const page = await context.newPage()
  const panel = page.getByRole('region', { name: 'Delete organization' })
  const subscriptionId = '01K0000000000000000000C0P1'
  const summary = `${hosts.console}/account/settings/organizations/list/${organizationId}/summary`
  await page.goto(summary)
  await panel.getByText('open invites stop working', { exact: false }).waitFor()
  await panel.getByRole('button', { name: 'Delete organization' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete Coppice?' })
  // It begins while the page is open.
  await hosts.sql(
    `insert into subscriptions (id, created_at, updated_at, organization_id, customer_id, provider_id, plan, state, price_id, quantity,
      cancel_at_period_end, invoices, started_at, happened_at)
    select $2, now(), now(), id, 'cus_1', 'sub_1', 'production', 'active', 'price_1', 1, false, '[]', now(), now()
    from organizations where public_id = $1`,
    [organizationId, subscriptionId],
  )
  await dialog.getByRole('textbox').fill('Coppice')
  await dialog.getByRole('button', { name: 'Delete organization' }).click()
  await dialog.getByText('Cancel the subscription first').waitFor()
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  for (const visit of [() => Promise.resolve(), () => page.goto(summary)]) {
    await visit()
    await panel.getByRole('paragraph').filter({ hasText: 'Cancel the subscription first.' }).waitFor()
    await panel.getByRole('button', { name: 'Delete organization', disabled: true }).waitFor()
  }
  // One that ends by itself is no reason.
  await hosts.sql('update subscriptions set cancel_at_period_end = true where id = $1', [subscriptionId])
  await page.goto(summary)
  await panel.getByText('open invites stop working', { exact: false }).waitFor()
  await panel.getByRole('button', { name: 'Delete organization', disabled: false }).waitFor()
  await hosts.sql('update subscriptions set cancel_at_period_end = false where id = $1', [subscriptionId])
  await page.goto(summary)
  await panel.getByRole('link', { name: 'Subscriptions' }).click()
  await page.getByRole('region', { name: 'Coppice' }).getByRole('link', { name: 'Billing portal' }).waitFor()
  await context.close()
})
