import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createInvites, createProjectInvites, invites, resendInvite, revokeInvite } from '../../contract/accounts/invites'
import { planLimits } from '../../contract/accounts/plan-limits'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { members, organizations } from '../../server/accounts/schema/organizations'
import { users } from '../../server/accounts/schema/people'
import { cheapPasswords, createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { authorizeQuery, createSignIn, password, pkce } from '../support/sign-in'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
let founder: Person
let made: { id: string; publicId: string }
let console: string
beforeAll(async () => {
  api = await createTestApi({}, cheapPasswords)
  host = await createSignIn(api)
  console = api.config.urls.console
})
afterAll(async () => {
  await host.close()
  await api.close()
})
beforeEach(async () => {
  founder = await api.person({ name: 'Ines <b>Quist</b>' })
  made = await api.organization(founder, 'Orchard & Co')
})

let n = 0
const sendTo = async (email = `invited${(n += 1)}@example.com`) => {
  const body = { emails: [email], base_role: 'operator' as const, message: '<script>alert(1)</script>' }
  const { body: sent } = await api.call(createInvites, { organizationId: made.publicId }, { as: founder, body })
  return { email, path: new URL(sent.invites[0]?.accept_url ?? '').pathname }
}
const stateOf = async () => (await api.call(invites, { organizationId: made.publicId }, { as: founder })).body.invites[0]?.state

it('shows who invites where and as what, and offers to sign in or up', async () => {
  const { email, path } = await sendTo()
  const { status, text } = await host.browser().get(path)
  expect(status).toBe(200)
  expect(text).toContain('Join Orchard &amp; Co')
  expect(text).toContain('Ines &lt;b&gt;Quist&lt;/b&gt;')
  expect(text).toContain('<strong>operator</strong>')
  expect(text).toContain('&lt;script&gt;')
  const token = path.split('/').at(-1)
  expect(text).toContain(`href="/signin?invite=${token}"`)
  expect(text).toContain(`href="/signup?invite=${token}"`)
  // The holder of the link sees the address in part only.
  expect(text).not.toContain(email)
})

it('leads a new person with a copied link through sign-up and a mail back to the invite, and into the organization', async () => {
  const { email, path } = await sendTo()
  const invite = path.split('/').at(-1) ?? ''
  const visitor = host.browser()
  await visitor.submit(`/signup?invite=${invite}`, { invite, email, full_name: 'Mara Feldt' })
  const confirmed = await visitor.submit(host.linkTo(email, '/signup/'), { invite, password })
  expect(confirmed.location).toBe(path)
  expect((await visitor.get(path)).text).toContain('Accept invite')
  const joined = await visitor.submit(path, { answer: 'accept' })
  expect([joined.status, joined.location]).toEqual([303, `${console}/organizations/${made.publicId}/projects`])
  const [mara] = await api.db.select().from(users).where(eq(users.email, email))
  const here = await api.db.select().from(members).where(eq(members.organizationId, made.id))
  expect(here.find(({ userId }) => userId === mara?.id)).toMatchObject({ baseRole: 'operator', invitedBy: founder.id })
  const log = await api.db.select().from(auditEntries).where(eq(auditEntries.chainId, made.id)).orderBy(auditEntries.sequence)
  expect(log.at(-1)).toMatchObject({ action: 'invite.accept', actor: { id: mara?.id, email }, credential: { kind: 'sign_in' } })
  expect((await visitor.get(path)).text).toContain('accepted already')
})

const mailedTo = async (email?: string) => {
  const sent = await sendTo(email)
  const link = host.linkTo(sent.email, '/invites/')
  const { searchParams, pathname } = new URL(link, 'http://sign-in')
  return { ...sent, link, invite: pathname.split('/').at(-1) ?? '', mail: searchParams.get('mail') ?? '' }
}

it('the mail of an invite proves the address: it is filled in, and the account needs no second mail', async () => {
  const { email, path, link, invite, mail } = await mailedTo()
  const visitor = host.browser()
  const { text } = await visitor.get(link)
  expect(text).toContain(`href="/signup?invite=${invite}&amp;mail=${mail}">Sign up to answer`)
  const form = await visitor.get(`/signup?invite=${invite}&mail=${mail}`)
  expect(/<input[^>]*name="email"[^>]*>/.exec(form.text)?.[0]).toMatch(new RegExp(`value="${email}"[^]*readonly`))
  const before = api.sent.length
  const wrong = await visitor.submit('/signup', { invite, mail, full_name: 'Mara Feldt', password: 'short' })
  expect([wrong.status, wrong.text.includes(email)]).toEqual([422, true])
  // Other values of the field are ignored.
  const done = await visitor.submit('/signup', { invite, mail, full_name: 'Mara Feldt', email: 'other@example.com', password })
  expect([done.status, done.location, api.sent.length]).toEqual([303, path, before])
  const [mara] = await api.db.select().from(users).where(eq(users.email, email))
  expect(mara?.fullName).toBe('Mara Feldt')
  expect((await visitor.submit(path, { answer: 'accept' })).status).toBe(303)
  expect(await api.db.select().from(users).where(eq(users.email, 'other@example.com'))).toEqual([])
})

it('the link that the inviter sees proves no address: it fills nothing in, and an account needs the mail', async () => {
  const { email, path } = await sendTo()
  const invite = path.split('/').at(-1) ?? ''
  for (const query of [`invite=${invite}`, `invite=${invite}&mail=${'z'.repeat(43)}`, `invite=${invite}&mail=${invite}`]) {
    const visitor = host.browser()
    expect((await visitor.get(`/signup?${query}`)).text).not.toContain(email)
    const form = Object.fromEntries(new URLSearchParams(query))
    const sent = await visitor.submit(`/signup?${query}`, { ...form, email, full_name: 'Mallory', password })
    expect(sent.text).toContain('Check your mail')
  }
  expect(await api.db.select().from(users).where(eq(users.email, email))).toEqual([])
})

it('the proof of a mail is invalid after the invite was sent again, answered or withdrawn', async () => {
  const { email, invite, mail } = await mailedTo()
  const { body } = await api.call(invites, { organizationId: made.publicId }, { as: founder })
  const sent = { organizationId: made.publicId, inviteId: body.invites[0]?.id ?? '' }
  await api.call(resendInvite, sent, { as: founder })
  expect((await host.browser().get(`/signup?invite=${invite}&mail=${mail}`)).text).not.toContain(email)
  const newer = new URL(host.linkTo(email, '/invites/'), 'http://sign-in')
  const query = `invite=${newer.pathname.split('/').at(-1)}&mail=${newer.searchParams.get('mail')}`
  expect((await host.browser().get(`/signup?${query}`)).text).toContain(email)
  await api.call(revokeInvite, sent, { as: founder })
  expect((await host.browser().get(`/signup?${query}`)).text).not.toContain(email)
})

it('the console opens without a second question after an invite was accepted, also hours after signing in', async () => {
  const email = `known${(n += 1)}@example.com`
  const visitor = await host.signUp(email)
  api.advance(3600)
  const { path } = await sendTo(email)
  const page = `/signin?${new URLSearchParams(authorizeQuery(pkce().challenge))}`
  expect((await visitor.get(page)).text).toContain('Continue as')
  await visitor.submit(path, { answer: 'accept' })
  const opened = await visitor.get(page)
  expect([opened.status, opened.location]).toEqual([303, expect.stringMatching(/#code=[\w-]{43}&state=/)])
  expect((await visitor.get(page)).text).toContain('Continue as')
})

it('the mail of an invite leads a person with an account to sign-in, with the address filled in', async () => {
  const known = `known${(n += 1)}@example.com`
  await host.signUp(known)
  const { invite, mail, link } = await mailedTo(known)
  expect((await host.browser().get(link)).text).toContain('<a class="primary" href="/signin')
  const led = await host.browser().get(`/signup?invite=${invite}&mail=${mail}`)
  expect([led.status, led.location]).toEqual([303, `/signin?invite=${invite}&mail=${mail}`])
  expect((await host.browser().get(led.location ?? '')).text).toContain(`value="${known}"`)
})

it('leads a person with an account through sign-in', async () => {
  const email = `known${(n += 1)}@example.com`
  await host.signUp(email)
  const { path } = await sendTo(email)
  const invite = path.split('/').at(-1) ?? ''
  const visitor = host.browser()
  const signedIn = await visitor.submit(`/signin?invite=${invite}`, { invite, email, password }, '/signin')
  expect(signedIn.location).toBe(path)
  const declined = await visitor.submit(path, { answer: 'decline' })
  expect(declined.text).toContain('Declined')
  expect(await stateOf()).toBe('declined')
})

it('offers another account where the invite went to another address', async () => {
  const { email, path } = await sendTo()
  const visitor = await host.signUp(`other${(n += 1)}@example.com`)
  const { text } = await visitor.get(path)
  expect(text).toContain('Use another account')
  expect(text).not.toContain('Accept invite')
  expect(text).not.toContain(email)
  const token = path.split('/').at(-1) ?? ''
  // Posting the form by hand does not work either.
  const { csrf } = { csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  expect((await visitor.post(path, { csrf, answer: 'accept' })).location).toBe(path)
  expect(await stateOf()).toBe('pending')
  const out = await visitor.post('/signout', { csrf, invite: token })
  expect(out.location).toBe(`/signin?invite=${token}`)
  expect(await stateOf()).toBe('pending')
})

it('T-14: an answer from another origin changes nothing', async () => {
  const email = `known${(n += 1)}@example.com`
  const visitor = await host.signUp(email)
  const { path } = await sendTo(email)
  expect((await visitor.post(path, { answer: 'accept' })).status).toBe(403)
  expect(await stateOf()).toBe('pending')
})

it('says what became of an invite that is over, and nothing of one that never was', async () => {
  const { path } = await sendTo()
  api.advance(8 * 86_400)
  const { status, text } = await host.browser().get(path)
  expect([status, text.includes('has expired')]).toEqual([200, true])
  expect((await host.browser().get(`/invites/${'z'.repeat(43)}`)).status).toBe(404)
  expect((await host.browser().get('/invites/short')).status).toBe(404)
  expect((await host.browser().get('/signin?invite=short')).status).toBe(400)
})

it('a second press, or one in another tab, says what became of the invite', async () => {
  const email = `twice${(n += 1)}@example.com`
  const visitor = await host.signUp(email)
  const { path } = await sendTo(email)
  const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get(path)).text)?.[1] ?? ''
  expect((await visitor.post(path, { csrf, answer: 'accept' })).location).toContain(made.publicId)
  for (const answer of ['accept', 'decline']) {
    const again = await visitor.post(path, { csrf, answer })
    expect([again.status, again.location]).toEqual([303, path])
  }
  expect((await visitor.get(path)).text).toContain('This invite was accepted already.')
})

it('says in the words of the invited person that there is no seat left, and the invite stays', async () => {
  const email = `late${(n += 1)}@example.com`
  const visitor = await host.signUp(email)
  const { path } = await sendTo(email)
  await api.db.update(organizations).set({ plan: 'developer' }).where(eq(organizations.id, made.id))
  for (let at = 1; at < planLimits.developer.members; at += 1) await api.member(made.id, 'viewer')
  const { status, text } = await visitor.submit(path, { answer: 'accept' })
  expect([status, text.includes('Something went wrong')]).toEqual([402, false])
  expect(text).toContain('has no seat left')
  expect(text).toContain(`href="${path}"`)
  expect(await stateOf()).toBe('pending')
})

it('a link that was replaced by a newer mail, or whose organization is gone, says what to do', async () => {
  const { path } = await sendTo()
  const { body: listed } = await api.call(invites, { organizationId: made.publicId }, { as: founder })
  const inviteId = listed.invites[0]?.id ?? ''
  await api.call(resendInvite, { organizationId: made.publicId, inviteId }, { as: founder })
  const { status, text } = await host.browser().get(path)
  expect([status, text.includes('This page does not exist')]).toEqual([404, false])
  expect(text).toContain('Use the link in the newest mail, or ask for another invite.')
})

it('leads a guest to the project', async () => {
  const email = `guest${(n += 1)}@example.com`
  const visitor = await host.signUp(email)
  const projectId = await api.project({ ownerId: founder.id }, 'Bench')
  const body = { emails: [email], base_role: 'viewer' as const }
  const { body: sent } = await api.call(createProjectInvites, { projectId }, { as: founder, body })
  const path = new URL(sent.invites[0]?.accept_url ?? '').pathname
  expect((await visitor.get(path)).text).toContain('invites you to this\n      project')
  const joined = await visitor.submit(path, { answer: 'accept' })
  expect(joined.location).toBe(`${console}/organizations/none/projects/${projectId}`)
})

it('T-09: the log does not contain links of invites', async () => {
  const { path } = await sendTo()
  await host.browser().get(path)
  await host.browser().get(`/signin?invite=${path.split('/').at(-1)}`)
  const { link, mail } = await mailedTo()
  await host.browser().get(link)
  expect(mail).toMatch(/^[\w-]{43}$/)
  expect(api.lines.join('')).not.toContain(mail)
  expect(api.lines.join('')).not.toContain(path.split('/').at(-1))
})
