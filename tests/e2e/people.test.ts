import { expect, it } from 'vitest'
import { acceptInvite, createInvites } from '../../contract/accounts/invites'
import { createOrganization, organization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import { updateMember } from '../../contract/accounts/members'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join } from './support/members'
import { mailsTo } from './support/outbox'
import { someone } from './support/people'

const { hosts, open: openProfile } = useConsole()
const open = async (visitor?: Visitor): Promise<Page> => (await openProfile(visitor)).newPage()
const inList = (path = '') => `${hosts().console}/account/settings/organizations/list${path}`
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name })

/** An organization with its owner, created by the calls of the forms. */
const orchard = async (name = 'Orchard') => {
  const owner = await subscriber(hosts())
  const { body } = await call(hosts().api, createOrganization, {}, { as: owner.token, body: { name } })
  return { owner, organizationId: body.public_id }
}

it('an owner invites by mail; the invited person follows the link, signs up, accepts, and sees the organization', async () => {
  const owner = await subscriber(hosts())
  const guest = someone('Mara Feldt')
  const page = await open(owner)
  await page.goto(inList())
  await page.getByRole('link', { name: 'Add organization' }).first().click()
  await field(page, 'Name').fill('Orchard')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Orchard' }).waitFor()
  await page.getByRole('button', { name: 'Organization: Orchard', exact: true }).waitFor()
  await page.getByRole('link', { name: 'Invites', exact: true }).click()
  await page.getByText('No invites yet.').waitFor()
  await page.getByRole('link', { name: 'Invite people' }).click()

  // An invalid address is named, and typed text stays. Later content moves what is below it.
  await page.getByRole('combobox', { name: /^Role/ }).waitFor()
  await field(page, 'E-mail addresses').fill(`${guest.email}, nobody`)
  await page.getByRole('button', { name: 'Send invites' }).click()
  await page.getByText('Enter a valid email address: nobody is not one').waitFor()
  await expect.poll(() => field(page, 'E-mail addresses').inputValue()).toBe(`${guest.email}, nobody`)

  // A member's address is named with the reason; the invited one is listed.
  await field(page, 'E-mail addresses').fill(`${guest.email}\n${owner.email}`)
  await page.getByRole('combobox', { name: /^Role/ }).click()
  await page.getByRole('option', { name: 'viewer' }).click()
  await page.getByText('Can view projects and devices.').waitFor()
  await page.getByRole('button', { name: 'Send invites' }).click()
  await page.getByText(`${owner.email} is already a member`).waitFor()
  await page.getByRole('heading', { name: '1 invite sent' }).waitFor()
  await expect.poll(() => field(page, 'E-mail addresses').inputValue()).toBe(owner.email)
  await page.getByRole('button', { name: 'Done' }).click()
  await row(page, new RegExp(guest.email)).getByText('Pending').waitFor()

  const theirs = await open()
  await (await mailsTo(theirs, hosts(), guest.email)).locator('a[href*="/invites/"]').first().click()
  await theirs.getByRole('heading', { name: 'Join Orchard' }).waitFor()
  // The mail of the invite has proved the address: it is filled in, and no second mail is sent.
  await theirs.getByRole('link', { name: 'Sign up to answer' }).click()
  await expect.poll(() => theirs.getByLabel('E-mail').inputValue()).toBe(guest.email)
  expect(await theirs.getByLabel('E-mail').isEditable()).toBe(false)
  await theirs.getByLabel('Full name').fill(guest.name)
  await theirs.getByLabel('Password', { exact: true }).fill(guest.password)
  await theirs.getByRole('button', { name: 'Sign up' }).click()
  await theirs.getByRole('button', { name: 'Accept invite' }).click()
  await theirs.waitForURL(`${hosts().console}/organizations/org_*/projects`)
  await theirs.getByRole('button', { name: 'Organization: Orchard' }).waitFor()
  // A viewer is not offered actions that a viewer may not do.
  await expect.poll(() => theirs.getByRole('link', { name: 'Add Project' }).count()).toBe(0)

  // An answer by someone else appears without a reload.
  await page.getByRole('link', { name: 'Members 2', exact: true }).waitFor()
  await row(page, new RegExp(guest.email)).getByText('Accepted').waitFor()
  await page.reload()
  await row(page, new RegExp(guest.email)).getByText('Accepted').waitFor()
})

it('a plan without a free seat says so before inviting, and keeps the input while more seats are bought', async () => {
  const owner = await newUser(hosts())
  const { body } = await call(hosts().api, createOrganization, {}, { as: owner.token, body: { name: 'Bench' } })
  const page = await open(owner)
  await page.goto(inList(`/${body.public_id}/invites/add`))
  const taken = 'The developer plan has 1 seat, and it is taken.'
  const told = page.getByRole('status').filter({ hasText: taken })
  await told.waitFor()
  const send = page.getByRole('button', { name: 'Send invites' })
  await expect.poll(() => send.getAttribute('aria-disabled')).toBe('true')
  await field(page, 'E-mail addresses').fill('mara@hedgerow.example')
  const [billing] = await Promise.all([
    page.context().waitForEvent('page'),
    told.getByRole('link', { name: 'Upgrade under Subscriptions' }).click(),
  ])
  await billing.getByRole('heading', { name: 'Subscriptions' }).waitFor()
  await hosts().sql(`update organizations set plan = 'production' where public_id = $1`, [body.public_id])
  await billing.close()
  await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
  await told.waitFor({ state: 'detached' })
  await page.getByText('1 of 200 seats of the production plan are taken.').waitFor()
  await expect.poll(() => field(page, 'E-mail addresses').inputValue()).toBe('mara@hedgerow.example')
  await send.click()
  await page.getByRole('heading', { name: '1 invite sent' }).waitFor()
})

it('a new role takes effect on the next request, and a member who cannot change roles sees who can', async () => {
  const { owner, organizationId } = await orchard()
  const guest = await newUser(hosts())
  const body = { emails: [guest.email], base_role: 'viewer' as const }
  const { body: sent } = await call(hosts().api, createInvites, { organizationId }, { as: owner.token, body })
  const inviteToken = sent.invites[0]?.accept_url.split('/').at(-1) ?? ''
  await call(hosts().api, acceptInvite, { inviteToken }, { as: guest.token })

  const theirs = await open(guest)
  await theirs.goto(inList(`/${organizationId}/members`))
  const control = theirs.getByRole('button', { name: `Role of ${owner.name}: owner` })
  await control.waitFor()
  await expect.poll(() => control.getAttribute('aria-disabled')).toBe('true')
  await theirs
    .getByText('Needs “manage members of the organization”. Roles that have it: owner, admin.')
    .first()
    .waitFor({ state: 'attached' })
  const own = { organizationId, memberId: 'self' }
  expect(await statusOf(hosts().api, updateMember, own, { as: guest.token, body: { base_role: 'viewer' } })).toBe(403)

  const page = await open(owner)
  await page.goto(inList(`/${organizationId}/members`))
  await page.getByRole('combobox', { name: `Role of ${guest.name}` }).click()
  await page.getByRole('option', { name: 'admin' }).click()
  const question = page.getByRole('alertdialog', { name: `Give ${guest.name} the role admin?` })
  await question.getByText('They can then: create projects', { exact: false }).waitFor()
  await question.getByRole('button', { name: 'Change role' }).click()
  await page.getByText(`${guest.name} is now admin`).waitFor()
  await theirs.reload()
  await theirs.getByRole('link', { name: 'Invites', exact: true }).click()
  await theirs.getByRole('link', { name: 'Invite people' }).waitFor()
})

it('changing or removing a member by group says that the group acts again at the next sign-in', async () => {
  const { owner, organizationId } = await orchard()
  const member = await newUser(hosts())
  await hosts().sql(
    `insert into members (organization_id, user_id, base_role, joined_at, by_group)
     select o.id, u.id, 'viewer', now(), true from organizations o, users u where o.public_id = $1 and u.email = $2`,
    [organizationId, member.email],
  )
  const page = await open(owner)
  await page.goto(inList(`/${organizationId}/members`))
  await page.getByRole('combobox', { name: `Role of ${member.name}` }).click()
  await page.getByRole('option', { name: 'operator' }).click()
  await page.getByRole('button', { name: 'Change role' }).click()
  await page.getByText('A group of their company account sets the role again at their next sign-in.').waitFor()
  await page.getByRole('button', { name: `Remove ${member.name}` }).click()
  await page.getByText('A group of their company account lets them join again at their next sign-in.').waitFor()
})

it('a refused member asks for access, and a person who can grant it does so above the list of members', async () => {
  const { owner, organizationId } = await orchard()
  const guest = await newUser(hosts())
  const body = { emails: [guest.email], base_role: 'viewer' as const }
  const { body: sent } = await call(hosts().api, createInvites, { organizationId }, { as: owner.token, body })
  const inviteToken = sent.invites[0]?.accept_url.split('/').at(-1) ?? ''
  await call(hosts().api, acceptInvite, { inviteToken }, { as: guest.token })

  const theirs = await open(guest)
  await theirs.goto(inList(`/${organizationId}/invites`))
  await theirs.getByText('Needs “manage members of the organization”. Roles that have it: owner, admin.').waitFor()
  await theirs.getByRole('button', { name: 'Ask for access' }).click()
  const dialog = theirs.getByRole('dialog', { name: 'Ask for “manage members of the organization”?' })
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('For the fair')
  await dialog.getByRole('button', { name: 'Ask', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })

  const page = await open(owner)
  await page.goto(inList(`/${organizationId}/members`))
  await page.getByText('For the fair').waitFor()
  await page.getByRole('button', { name: 'Grant' }).click()
  await page.getByText(`${guest.name} is now admin`).waitFor()
  await theirs.reload()
  await theirs.getByRole('link', { name: 'Invite people' }).first().waitFor()
})

it('access requests that fail to load say so in their panel, and Try again loads them', async () => {
  const { owner, organizationId } = await orchard()
  const page = await open(owner)
  const requests = `${hosts().api}/organizations/${organizationId}/access_requests?*`
  await page.route(requests, (route) => route.fulfill({ status: 500, headers: { 'access-control-allow-origin': '*' } }))
  await page.goto(inList(`/${organizationId}/members`))
  const box = page.getByRole('alert')
  await box.getByText('Something Went Wrong, Please Try Again Later').waitFor()
  await page.getByRole('heading', { name: 'Access requests' }).waitFor()
  await row(page, owner.name).waitFor()
  await page.unroute(requests)
  await box.getByRole('button', { name: 'Try again' }).click()
  await box.waitFor({ state: 'detached' })
  await row(page, owner.name).waitFor()
  // There are no requests: the section is hidden.
  await expect.poll(() => page.getByRole('heading', { name: 'Access requests' }).count()).toBe(0)
})

it('the page of an organization says so when its reader is no longer a member', async () => {
  const { organizationId } = await orchard()
  const mara = await newUser(hosts())
  await join(hosts(), organizationId, mara, 'viewer')
  const page = await open(mara)
  await page.goto(inList(`/${organizationId}/summary`))
  await page.getByRole('heading', { name: 'Orchard' }).waitFor()
  await hosts().sql('delete from members where user_id = (select id from users where email = $1)', [mara.email])
  const lost = 'The last refresh failed. It may have been deleted, or it belongs to an organization that you are not a member of.'
  await page.getByText(lost).waitFor()
})

it('the last owner cannot leave, and sees the reason', async () => {
  const { owner, organizationId } = await orchard()
  const page = await open(owner)
  await page.goto(inList(`/${organizationId}/members`))
  await page.getByRole('button', { name: 'Leave' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Leave Orchard?' })
  await dialog.getByRole('button', { name: 'Leave' }).click()
  await dialog.getByText('The last owner cannot leave or change role').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
})

it('§2: the summary of an organization is a form that changes it', async () => {
  const { owner, organizationId } = await orchard()
  const page = await open(owner)
  await page.goto(inList(`/${organizationId}`))
  await page.waitForURL(inList(`/${organizationId}/summary`))
  await expect.poll(() => field(page, 'Name').inputValue()).toBe('Orchard')
  await field(page, 'Name').fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect.poll(() => field(page, 'Name').getAttribute('aria-invalid')).toBe('true')
  await field(page, 'Name').fill('Orchard South')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Organization: Orchard South', exact: true }).waitFor()
  const { body } = await call(hosts().api, organization, { organizationId }, { as: owner.token })
  expect(body.name).toBe('Orchard South')
})

it('an organization is deleted by typing its name, and the page redirects', async () => {
  const { owner, organizationId } = await orchard('Passing')
  const page = await open(owner)
  await page.goto(inList(`/${organizationId}`))
  await page.waitForURL(inList(`/${organizationId}/summary`))
  await page.getByRole('button', { name: 'Delete organization' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete Passing?' })
  const confirm = dialog.getByRole('button', { name: 'Delete organization' })
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('Passing')
  await confirm.click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByText('Passing', { exact: true }).count()).toBe(0)
  await expect.poll(() => page.getByText("You don't have access").count()).toBe(0)
})

it('R6: the members page of an organization’s project is a note with a link to the organization', async () => {
  const { owner, organizationId } = await orchard()
  const body = { name: 'Gateways' }
  const { body: made } = await call(hosts().api, createOrganizationProject, { organizationId }, { as: owner.token, body })
  const page = await open(owner)
  await page.goto(`${hosts().console}/organizations/${organizationId}/projects/${made.id}/members`)
  await page.getByRole('heading', { name: 'This project belongs to Orchard' }).waitFor()
  await page.getByRole('link', { name: 'Show its members' }).click()
  await row(page, new RegExp(owner.email)).waitFor()
})

it('a personal project has its own members: one is invited, viewed and removed', async () => {
  const owner = await subscriber(hosts())
  const guest = await newUser(hosts())
  const { body: made } = await call(hosts().api, createPersonalProject, {}, { as: owner.token, body: { name: 'Bench' } })
  const page = await open(owner)
  const place = `${hosts().console}/organizations/none/projects/${made.id}/members`
  await page.goto(`${place}/invites/add`)
  await page.getByRole('combobox', { name: /^Role/ }).waitFor()
  await field(page, 'E-mail addresses').fill(guest.email)
  await page.getByRole('button', { name: 'Send invites' }).click()
  await page.getByRole('heading', { name: '1 invite sent' }).waitFor()

  const theirs = await open(guest)
  const mails = await mailsTo(theirs, hosts(), guest.email)
  const link = await mails.locator('a[href*="/invites/"]').first().getAttribute('href')
  await call(
    hosts().api,
    acceptInvite,
    { inviteToken: new URL(link ?? '').pathname.split('/').at(-1) ?? '' },
    { as: guest.token },
  )
  await theirs.goto(`${hosts().console}/organizations/none/projects`)
  await theirs.getByRole('link', { name: 'Bench' }).waitFor()

  await page.goto(place)
  await page.waitForURL(`${place}/list`)
  await page.getByRole('link', { name: guest.name }).last().click()
  await page.getByText('view devices', { exact: true }).waitFor()
  await page.getByRole('button', { name: `Remove ${guest.name}` }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.waitForURL(`${place}/list`)
  await expect.poll(() => row(page, new RegExp(guest.email)).count()).toBe(0)
})
