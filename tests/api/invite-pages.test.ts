import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createInvites, createProjectInvites, invites } from '../../contract/invites'
import { auditEntries } from '../../server/database/schema/audit-entries.partitioned'
import { members } from '../../server/database/schema/organizations'
import { users } from '../../server/database/schema/people'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { createSignIn, password } from '../support/sign-in'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
let founder: Person
let made: { id: string; publicId: string }
let console: string
beforeAll(async () => {
  api = await createTestApi()
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
  // Whoever holds the link learns the address in part only.
  expect(text).not.toContain(email)
})

it('leads a new person over sign-up and the mail back to the invite, and from there into the organization', async () => {
  const { email, path } = await sendTo()
  const invite = path.split('/').at(-1) ?? ''
  const visitor = host.browser()
  await visitor.submit(`/signup?invite=${invite}`, { invite, email, full_name: 'Mara Feldt', password })
  const confirmed = await visitor.submit(host.linkTo(email, '/signup/'), { invite })
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

it('leads somebody who has an account over sign-in', async () => {
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
  // Not even by hand.
  const { csrf } = { csrf: /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '' }
  expect((await visitor.post(path, { csrf, answer: 'accept' })).status).toBe(409)
  const out = await visitor.post('/signout', { csrf, invite: token })
  expect(out.location).toBe(`/signin?invite=${token}`)
  expect(await stateOf()).toBe('pending')
})

it('T-14: an answer from elsewhere changes nothing', async () => {
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

it('T-09: links of invites do not stand in the log', async () => {
  const { path } = await sendTo()
  await host.browser().get(path)
  await host.browser().get(`/signin?invite=${path.split('/').at(-1)}`)
  expect(api.lines.join('')).not.toContain(path.split('/').at(-1))
})
