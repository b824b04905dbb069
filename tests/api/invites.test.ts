import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  acceptInvite,
  createInvites,
  declineInvite,
  invite as inviteByToken,
  inviteLimits,
  invites as list,
  resendInvite,
  revokeInvite,
} from '../../contract/accounts/invites'
import { removeMember, updateMember } from '../../contract/accounts/members'
import { deleteOrganization, organization as organizationEndpoint } from '../../contract/accounts/organization'
import { organizations } from '../../contract/accounts/organizations'
import type { BaseRole } from '../../contract/core/roles'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { invites as table } from '../../server/accounts/schema/invites'
import { members, organizations as organizationRows } from '../../server/accounts/schema/organizations'
import { mails } from '../../server/core/database/schema/plumbing'
import { expireInvites } from '../../server/accounts/invites/expire'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'

let api: TestApi
let founder: Person
let place: { organizationId: string }
let id: string
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())
beforeEach(async () => {
  founder = await api.person({ name: 'Ines Quist' })
  const made = await api.organization(founder, 'Orchard')
  id = made.id
  place = { organizationId: made.publicId }
})

const day = 86_400
const tokenOf = (url: string) => url.split('/').at(-1) ?? ''
let n = 0
const address = () => `guest${(n += 1)}@example.com`

const sendTo = async (email: string, role: BaseRole = 'viewer', as: Person = founder) => {
  const reply = await api.call(createInvites, place, { as, body: { emails: [email], base_role: role } })
  expect(reply.status, reply.text).toBe(201)
  const [sent] = reply.body.invites
  if (!sent) throw new Error(reply.text)
  return { ...sent, token: tokenOf(sent.accept_url) }
}
const membersOf = async () => (await api.db.select().from(members).where(eq(members.organizationId, id))).length
const actionsOf = async () =>
  (await api.db.select().from(auditEntries).where(eq(auditEntries.chainId, id)).orderBy(auditEntries.sequence)).map(
    ({ action }) => action,
  )

it('invites by mail, and the person who follows the link becomes a member', async () => {
  const email = address()
  const body = { emails: [email.toUpperCase()], base_role: 'operator' as const, message: 'Come\nand see' }
  const made = await api.call(createInvites, place, { as: founder, body })
  expect(made.body.failed).toEqual([])
  const [sent] = made.body.invites
  expect(sent).toMatchObject({ email, base_role: 'operator', state: 'pending', send_count: 1, message: 'Come\nand see' })
  const token = tokenOf(sent?.accept_url ?? '')
  const shown = await api.call(inviteByToken, { inviteToken: token })
  expect(shown.body).toMatchObject({
    organization_name: 'Orchard',
    project_name: null,
    inviter_name: 'Ines Quist',
    base_role: 'operator',
    state: 'pending',
    email_masked: 'g…@example.com',
  })
  const mail = api.sent.find(({ to }) => to === email)
  expect(mail?.text).toContain(`/invites/${token}`)
  expect(mail?.text).toContain('  Come\n  and see')

  const mara = await api.person({ email })
  const joined = await api.call(acceptInvite, { inviteToken: token }, { as: mara })
  expect(joined.body).toEqual({ organization_id: place.organizationId, project_id: null })
  const seen = await api.call(organizations, {}, { as: mara })
  expect(seen.body.organizations).toMatchObject([{ name: 'Orchard', base_role: 'operator', member_count: 2 }])
  expect(await actionsOf()).toEqual(['invite.create', 'invite.accept'])
})

it('stores only the hash of a link: neither the database nor the log contains the link', async () => {
  const { token } = await sendTo(address())
  await api.call(inviteByToken, { inviteToken: token })
  const rows = JSON.stringify(await api.db.select().from(table))
  expect(rows).not.toContain(token)
  expect(api.lines.join('')).not.toContain(token)
  // A manager's list contains all fields except the link.
  expect((await api.call(list, place, { as: founder })).text).not.toContain(token)
})

it('names each address that was not invited, and invites the others', async () => {
  const [member, open, fresh] = [await api.member(id, 'viewer'), address(), address()]
  await sendTo(open)
  const body = { emails: [member.email, open, fresh], base_role: 'viewer' as const }
  const { body: answer } = await api.call(createInvites, place, { as: founder, body })
  expect(answer.invites.map(({ email }) => email)).toEqual([fresh])
  expect(answer.failed).toEqual([
    { email: member.email, code: 'already_member' },
    { email: open, code: 'already_invited' },
  ])
  const mailed = api.sent.length
  const again = await api.call(createInvites, place, { as: founder, body })
  expect([again.status, again.body.invites]).toEqual([201, []])
  expect(api.sent.length).toBe(mailed)
  // Nothing was done, so the log has no entry either.
  expect((await actionsOf()).length).toBe(2)
})

it.each([
  ['nobody', [], 'emails', 'required'],
  ['too many', Array.from({ length: 21 }, (_, i) => `many${i}@example.com`), 'emails', 'too_many'],
  ['one twice', ['one@example.com', 'ONE@example.com'], 'emails', 'duplicate'],
  ['what is no address', ['fine@example.com', 'not an address'], 'emails.1', 'email'],
])('refuses to invite %s', async (_, emails, field, code) => {
  const reply = await api.call(createInvites, place, { as: founder, body: { emails, base_role: 'viewer' } })
  expect([reply.status, reply.error.details[0]?.field, reply.error.details[0]?.code]).toEqual([422, field, code])
})

it('counts every open invite as a used seat', async () => {
  const ravi = await api.person({ plan: 'developer' })
  const small = await api.organization(ravi, 'Small', 'developer')
  const body = { emails: [address()], base_role: 'viewer' as const }
  const { body: answer } = await api.call(createInvites, { organizationId: small.publicId }, { as: ravi, body })
  expect(answer).toEqual({ invites: [], failed: [{ email: body.emails[0], code: 'seat_limit' }] })
})

it('the list of invites has the number of seats of the plan, of members and of open invites', async () => {
  const seats = async () => (await api.call(list, place, { as: founder })).body.seats
  const before = await seats()
  expect(before).toMatchObject({ plan: 'production', limit: 200 })
  const body = { emails: [address(), address()], base_role: 'viewer' as const }
  await api.call(createInvites, place, { as: founder, body })
  expect(await seats()).toEqual({ ...before, invited: before.invited + 2 })
  await api.member(id, 'viewer')
  expect(await seats()).toEqual({ ...before, invited: before.invited + 2, taken: before.taken + 1 })
})

it('an invite whose sender may no longer invite holds no seat until it is sent again, which needs a seat', async () => {
  const ravi = await api.person()
  const small = await api.organization(ravi, 'Small')
  const params = { organizationId: small.publicId }
  const admin = await api.member(small.id, 'admin')
  const body = { emails: [address(), address()], base_role: 'viewer' as const }
  const sent = (await api.call(createInvites, params, { as: admin, body })).body.invites
  const seen = async () => {
    const { invites, seats } = (await api.call(list, params, { as: ravi })).body
    return [seats.invited, ...invites.map(({ state }) => state)]
  }
  expect(await seen()).toEqual([2, 'pending', 'pending'])
  expect((await api.call(removeMember, { ...params, memberId: admin.id }, { as: ravi })).status).toBe(204)
  expect(await seen()).toEqual([0, 'revoked', 'revoked'])
  const [first, second] = sent.map(({ id: inviteId }) => ({ ...params, inviteId }))
  if (!first || !second) throw new Error('two invites were sent')
  expect((await api.call(resendInvite, first, { as: ravi })).body.state).toBe('pending')
  expect(await seen()).toEqual([1, expect.any(String), expect.any(String)])
  await api.db.update(organizationRows).set({ plan: 'developer' }).where(eq(organizationRows.id, small.id))
  expect(await api.call(resendInvite, second, { as: ravi })).toMatchObject({ status: 402, error: { code: 'plan_limit' } })
  // An open invite has its seat, also under a lower plan.
  expect((await api.call(resendInvite, first, { as: ravi })).status).toBe(200)
})

it("T-06: an invite cannot have a role above the inviter's", async () => {
  const admin = await api.member(id, 'admin')
  for (const role of ['owner', 'billing'] as const) {
    const body = { emails: [address()], base_role: role }
    const reply = await api.call(createInvites, place, { as: admin, body })
    expect([reply.status, reply.error.code]).toEqual([403, 'role_above_own'])
  }
  // Nor resend an invite that someone else sent.
  const { id: inviteId } = await sendTo(address(), 'owner')
  const resent = await api.call(resendInvite, { ...place, inviteId }, { as: admin })
  expect([resent.status, resent.error.code]).toEqual([403, 'role_above_own'])
  expect((await api.call(createInvites, place, { as: admin, body: { emails: [address()], base_role: 'admin' } })).status).toBe(
    201,
  )
})

describe('T-21: an invite can be answered once, in time, by the invited person', () => {
  it('of concurrent answers only one joins', async () => {
    const email = address()
    const { token } = await sendTo(email)
    const mara = await api.person({ email })
    const before = await membersOf()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => api.call(acceptInvite, { inviteToken: token }, { as: mara })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ error }) => error.code))).toEqual(
      new Set(['invite_gone']),
    )
    expect(await membersOf()).toBe(before + 1)
  })

  const ends: [string, (sent: { id: string; by: Person }) => Promise<unknown>][] = [
    ['is over', async () => api.advance(inviteLimits.days * day)],
    ['was revoked', ({ id: inviteId }) => api.call(revokeInvite, { ...place, inviteId }, { as: founder })],
    ['came from somebody who was lowered', ({ by }) => lower(by)],
    ['came from somebody who was removed', ({ by }) => api.call(removeMember, { ...place, memberId: by.id }, { as: founder })],
  ]
  const lower = (by: Person) =>
    api.call(updateMember, { ...place, memberId: by.id }, { as: founder, body: { base_role: 'viewer' } })

  it.each(ends)('not when it %s', async (_, end) => {
    const by = await api.member(id, 'admin')
    const email = address()
    const { id: inviteId, token } = await sendTo(email, 'viewer', by)
    await end({ id: inviteId, by })
    const mara = await api.person({ email })
    const before = await membersOf()
    const refused = await api.call(acceptInvite, { inviteToken: token }, { as: mara })
    expect([refused.status, refused.error.code]).toEqual([409, 'invite_gone'])
    expect(await membersOf()).toBe(before)
    expect((await api.call(inviteByToken, { inviteToken: token })).body.state).not.toBe('pending')
  })

  it('not by another account, which sees only a part of the address', async () => {
    const { token } = await sendTo('mara.feldt@example.com')
    const other = await api.person()
    for (const endpoint of [acceptInvite, declineInvite]) {
      const refused = await api.call(endpoint, { inviteToken: token }, { as: other })
      expect([refused.status, refused.error.code]).toEqual([409, 'wrong_account'])
      expect(refused.text).not.toContain('mara.feldt')
    }
    expect((await api.call(inviteByToken, { inviteToken: token })).body.state).toBe('pending')
  })

  it('a declined invite cannot be accepted', async () => {
    const email = address()
    const { token } = await sendTo(email)
    const mara = await api.person({ email })
    expect((await api.call(declineInvite, { inviteToken: token }, { as: mara })).status).toBe(204)
    expect((await api.call(acceptInvite, { inviteToken: token }, { as: mara })).error.code).toBe('invite_gone')
    expect(await actionsOf()).toEqual(['invite.create', 'invite.decline'])
  })

  it('an unknown link answers like a missing page', async () => {
    expect((await api.call(inviteByToken, { inviteToken: 'y'.repeat(43) })).status).toBe(404)
    expect((await api.call(acceptInvite, { inviteToken: 'y'.repeat(43) }, { as: founder })).status).toBe(404)
  })
})

it('keeps the role of a person who is already a member', async () => {
  const email = address()
  const { token } = await sendTo(email, 'viewer')
  const mara = await api.person({ email })
  await api.db.insert(members).values({ organizationId: id, userId: mara.id, baseRole: 'admin', joinedAt: api.deps.clock() })
  await api.call(acceptInvite, { inviteToken: token }, { as: mara })
  const mine = and(eq(members.organizationId, id), eq(members.userId, mara.id))
  expect((await api.db.select().from(members).where(mine))[0]?.baseRole).toBe('admin')
})

it('sends an invite again with a new link, five times in all, and renews an expired one', async () => {
  const email = address()
  const first = await sendTo(email)
  const params = { ...place, inviteId: first.id }
  api.advance(8 * day)
  // The session has expired with the invite: sign in again.
  const as = await api.member(id, 'owner')
  expect((await api.call(list, place, { as })).body.invites[0]?.state).toBe('expired')
  const again = await api.call(resendInvite, params, { as })
  expect(again.body).toMatchObject({ state: 'pending', send_count: 2 })
  expect((await api.call(inviteByToken, { inviteToken: first.token })).status).toBe(404)
  for (const count of [3, 4, 5]) expect((await api.call(resendInvite, params, { as })).body.send_count).toBe(count)
  const spent = await api.call(resendInvite, params, { as })
  expect([spent.status, spent.error.code]).toEqual([429, 'send_limit'])
  await api.call(revokeInvite, params, { as })
  expect((await api.call(resendInvite, params, { as })).error.code).toBe('invite_gone')
  // A revoked invite stays unchanged, without a second entry in the log.
  expect((await api.call(revokeInvite, params, { as })).status).toBe(204)
  expect((await actionsOf()).filter((action) => action === 'invite.revoke')).toHaveLength(1)
})

it('an accepted invite is not revoked: the answer says that the person has joined, and they stay', async () => {
  const guest = await api.person()
  const { id: inviteId, token } = await sendTo(guest.email)
  expect((await api.call(acceptInvite, { inviteToken: token }, { as: guest })).status).toBe(200)
  const answer = await api.call(revokeInvite, { ...place, inviteId }, { as: founder })
  expect([answer.status, answer.error.code]).toEqual([409, 'conflict'])
  expect(answer.error.message).toContain('Remove the person')
  expect((await actionsOf()).filter((action) => action === 'invite.revoke')).toEqual([])
})

it('an invite is reached through its own organization alone', async () => {
  const { id: inviteId } = await sendTo(address())
  const elsewhere = await api.organization(founder, 'Elsewhere')
  const params = { organizationId: elsewhere.publicId, inviteId }
  expect((await api.call(resendInvite, params, { as: founder })).status).toBe(404)
  expect((await api.call(revokeInvite, params, { as: founder })).status).toBe(404)
  expect((await api.call(list, place, { as: founder })).body.invites[0]?.state).toBe('pending')
})

it('an unanswered invite expires, with an entry in the audit log of the organization', async () => {
  const { id: inviteId } = await sendTo(address())
  await expireInvites(api.deps)
  api.advance(inviteLimits.days * day)
  await expireInvites(api.deps)
  await expireInvites(api.deps)
  const [row] = await api.db.select().from(table).where(eq(table.id, inviteId))
  expect(row?.state).toBe('expired')
  expect(await actionsOf()).toEqual(['invite.create', 'invite.expire'])
})

it('a mail is sent only when its transaction commits', async () => {
  const before = (await api.db.select().from(mails)).length
  const body = { emails: [address()], base_role: 'owner' as const }
  await api.call(createInvites, place, { as: await api.member(id, 'admin'), body })
  expect((await api.db.select().from(mails)).length).toBe(before)
})

it('invites of a deleted organization answer like a missing page', async () => {
  const email = address()
  const { token } = await sendTo(email)
  const mara = await api.person({ email })

  const deleted = await api.call(deleteOrganization, place, {
    as: founder,
    body: { confirm_name: 'Orchard' },
    headers: { 'if-match': '"1"' },
  })
  expect(deleted.status, deleted.text).toBe(204)
  expect((await api.call(acceptInvite, { inviteToken: token }, { as: mara })).status).toBe(404)
  expect((await api.call(organizationEndpoint, place, { as: mara })).status).toBe(404)
})
