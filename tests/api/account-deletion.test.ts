import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as account from '../../contract/accounts/account'
import * as contract from '../../contract/accounts/account-deletion'
import { createAccessToken, currentAccessToken } from '../../contract/accounts/access-tokens'
import { organizationAuditLog } from '../../contract/accounts/audit'
import { members } from '../../contract/accounts/members'
import { notifications } from '../../contract/accounts/notifications'
import { leaveOrganization, organization as organizationEndpoint, updateOrganization } from '../../contract/accounts/organization'
import { organizations } from '../../contract/accounts/organizations'
import { createPersonalProject, transferProject } from '../../contract/accounts/project-changes'
import { self, updateSelf } from '../../contract/accounts/users'
import { createSavedView, savedViews } from '../../contract/fleet/saved-views'
import { release, releases } from '../../contract/updates/releases'
import { rollout, rolloutTimeline } from '../../contract/updates/rollouts'
import { subscriptions } from '../../server/accounts/schema/billing'
import { invites } from '../../server/accounts/schema/invites'
import { members as memberTable, organizations as organizationTable } from '../../server/accounts/schema/organizations'
import type { BaseRole } from '../../contract/core/roles'
import { appendAll } from '../../server/core/audit/chain'
import { newRow } from '../../server/core/database/row'
import { formatTimestamp } from '../../server/core/timestamps'
import { hashOf } from '../../server/core/tokens/token'
import { appCode, givePassword } from '../support/account'
import { cheapPasswords, createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { createRolloutFixture } from '../support/rollout-fixture'
import { createSignIn, password } from '../support/sign-in'
import { createTestObjects } from '../support/test-objects'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  api = await createTestApi({}, cheapPasswords)
  host = await createSignIn(api)
})
afterAll(async () => {
  await host.close()
  await api.close()
})

let people = 0
let name: string
let mina: Person
beforeEach(async () => {
  name = `Wilhelmina Oakes ${String(++people).padStart(3, '0')}`
  mina = await api.person({ name })
  await givePassword(api, mina)
})

type Body = { current_password?: string; code?: string; confirm_email?: string }
const remove = (person: Person, body: Body = {}, from?: string) =>
  api.call(
    contract.deleteAccount,
    {},
    {
      as: person,
      body: { confirm_email: person.email, current_password: password, ...body },
      ...(from !== undefined && { from }),
    },
  )
const details = ({ error }: { error: { details: { field: string; code: string }[] } }) =>
  error.details.map(({ field, code }) => `${field}: ${code}`)
const obstacles = async (person: Person) => (await api.call(contract.accountDeletion, {}, { as: person })).body.obstacles
const subscribe = (userId: string, facts: Partial<typeof subscriptions.$inferInsert> = {}) => {
  const now = api.deps.clock()
  const paid = { customerId: 'cus_1', providerId: `sub_${userId}`, plan: 'production' as const, state: 'active' as const }
  const times = { startedAt: now, happenedAt: now, currentPeriodEnd: now }
  const rest = { priceId: 'price_1', quantity: 1, cancelAtPeriodEnd: false, invoices: [] }
  return api.db.insert(subscriptions).values({ ...newRow(now), userId, ...paid, ...times, ...rest, ...facts })
}

const join = (organizationId: string, userId: string, baseRole: BaseRole) =>
  api.db.insert(memberTable).values({ organizationId, userId, baseRole, joinedAt: api.deps.clock() })
const entry = {
  occurredAt: new Date('2026-06-01T12:00:00.000Z'),
  action: 'session.create',
  result: 'success' as const,
  credential: { kind: 'session', id: null },
  sourceIp: null,
  userAgent: null,
  requestId: 'test',
  projectId: null,
  target: { kind: 'session', id: null, name: null },
  changes: [],
  reason: null,
}

describe('what stands in the way of deleting an account', () => {
  it('is an organization without another owner, a personal project and a subscription that goes on; each is named', async () => {
    const { id, publicId } = await api.organization(mina, 'Orchard')
    const projectId = await api.project({ ownerId: mina.id }, 'Bench')
    await subscribe(mina.id)
    const found = [
      { kind: 'organization', id: publicId, name: 'Orchard' },
      { kind: 'project', id: projectId, name: 'Bench' },
      { kind: 'subscription', id: null, name: 'Your subscription' },
    ]
    expect(await obstacles(mina)).toEqual(found)
    const refused = await remove(mina)
    expect([refused.status, refused.error.code, refused.error.message, refused.error.about]).toEqual([
      409,
      'account_in_use',
      'Hand over, delete or cancel first: Orchard, Bench, Your subscription',
      { obstacles: found },
    ])
    expect((await api.call(self, {}, { as: mina })).status).toBe(200)
    // Handed over, moved and cancelled.
    const other = await api.member(id, 'owner')
    const moved = { organization_id: publicId, confirm_name: 'Bench' }
    const headers = { 'if-match': '"1"' }
    expect((await api.call(transferProject, { projectId }, { as: mina, body: moved, headers })).status).toBe(200)
    await api.db.update(subscriptions).set({ cancelAtPeriodEnd: true })
    expect(await obstacles(mina)).toEqual([])
    expect((await remove(mina)).status).toBe(204)
    expect((await api.call(organizationEndpoint, { organizationId: publicId }, { as: other })).status).toBe(200)
    // What was paid for ends with the account.
    const [row] = await api.db
      .select()
      .from(organizationTable)
      .where(sql`id = ${id}`)
    expect([row?.createdBy, row?.plan]).toEqual([other.id, 'developer'])
  })

  it('is no organization that has another owner, no membership, and no subscription that has ended', async () => {
    const { id } = await api.organization(mina)
    await api.member(id, 'owner')
    await subscribe(mina.id, { state: 'canceled' })
    expect(await obstacles(mina)).toEqual([])
  })

  it('is checked again under the locks: of two owners who leave at the same moment one stays', async () => {
    for (let round = 0; round < 6; round++) {
      const owners = [await api.person(), await api.person()] as const
      for (const owner of owners) await givePassword(api, owner)
      const { id, publicId } = await api.organization(owners[0], `Orchard ${round}`)
      await join(id, owners[1].id, 'owner')
      const leave = () => api.call(leaveOrganization, { organizationId: publicId }, { as: owners[1] })
      const answers = await Promise.all([remove(owners[0]), round % 2 === 0 ? leave() : remove(owners[1])])
      expect(answers.map(({ status }) => status).toSorted(), `round ${round}`).toEqual([204, 409])
      const { rows } = await api.db.execute(
        sql`select user_id from members where organization_id = ${id} and base_role = 'owner'`,
      )
      expect(rows).toHaveLength(1)
    }
  })

  it('grows no more once the account is gone: a project that is created meanwhile is there before, or is refused', async () => {
    const create = () => api.call(createPersonalProject, {}, { as: mina, body: { name: 'Late' } })
    const [gone, made] = await Promise.all([remove(mina), create()])
    expect([
      [204, 409],
      [204, 401],
      [409, 201],
    ]).toContainEqual([gone.status, made.status])
    const { rows } = await api.db.execute(sql`select owner_id from projects where owner_id is not null
      and not exists (select from users where users.id = projects.owner_id)`)
    expect(rows).toEqual([])
  })
})

describe('the proof', () => {
  it.each([
    ['another address', { confirm_email: 'somebody@example.com' }, ['confirm_email: mismatch']],
    ['no address', { confirm_email: '' }, ['confirm_email: required']],
    ['a wrong password', { current_password: 'not the password' }, ['current_password: wrong']],
  ])('is refused with %s, and the account stays', async (_, body, said) => {
    const answer = await remove(mina, body)
    expect([answer.status, details(answer)]).toEqual([422, said])
    expect((await api.call(self, {}, { as: mina })).status).toBe(200)
  })

  it('T-12: counts a wrong password with those of the sign-in host', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await remove(mina, { current_password: 'not it' }, '10.7.0.1')).status)
    const visitor = host.browser('10.7.0.1')
    statuses.push((await visitor.submit('/signin', { email: mina.email, password })).status)
    statuses.push((await remove(mina, {}, '10.7.0.1')).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429, 429])
  })

  it('needs the second factor where it is on', async () => {
    const { secret } = (await api.call(account.beginSecondFactor, {}, { as: mina, body: { current_password: password } })).body
    await api.call(account.confirmSecondFactor, {}, { as: mina, body: { code: appCode(api, secret) } })
    api.advance(30)
    expect((await api.call(contract.accountDeletion, {}, { as: mina })).body).toMatchObject({ second_factor: true })
    expect(details(await remove(mina))).toEqual(['code: required'])
    expect(details(await remove(mina, { code: '000000' }))).toEqual(['code: wrong'])
    expect((await remove(mina, { code: appCode(api, secret) })).status).toBe(204)
  })

  it('needs a password: a person of a company account sets one first', async () => {
    const noa = await api.person()
    expect((await api.call(contract.accountDeletion, {}, { as: noa })).body.has_password).toBe(false)
    const refused = await remove(noa)
    expect([refused.status, refused.error.code]).toEqual([409, 'no_password'])
  })
})

describe('the export', () => {
  it('is a JSON file with what is stored about the person, their own deeds in the audit logs, and no secret', async () => {
    const owner = await api.person({ name: 'Olga Orr' })
    const { id, publicId } = await api.organization(owner, 'Orchard')
    await join(id, mina.id, 'admin')
    const projectId = await api.project({ organizationId: id })
    const body = { name: 'CI', permissions: ['project:view' as const], lifetime_days: null }
    const { token, prefix } = (await api.call(createAccessToken, { projectId }, { as: mina, body })).body
    await api.call(updateSelf, {}, { as: mina, body: { full_name: name } })
    await api.call(
      updateOrganization,
      { organizationId: publicId },
      { as: owner, body: { name: 'Vines' }, headers: { 'if-match': '"1"' } },
    )
    const answer = await api.call(contract.exportAccount, {}, { as: mina })
    expect([answer.status, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'attachment; filename="account-2026-06-01.json"',
    ])
    const file = JSON.parse(answer.text) as Record<string, unknown>
    expect(file).toMatchObject({
      account: { id: mina.id, email: mina.email, full_name: name },
      organizations: [{ id: publicId, name: 'Vines', role: 'admin' }],
      access_tokens: [{ name: 'CI', prefix, project_id: projectId }],
      sessions: [{ id: mina.sessionId, ip: '127.0.0.1' }],
      personal_projects: [],
    })
    const deeds = (file.activity as { action: string; actor: { id: string } }[]).map(({ action, actor }) => [action, actor.id])
    expect(deeds).toEqual([
      ['user.update', mina.id],
      ['user.export', mina.id],
      ['access_token.create', mina.id],
    ])
    for (const secret of [token, mina.token, hashOf(token), hashOf(mina.token), 'Olga Orr'])
      expect(answer.text).not.toContain(secret)
  })

  it('reads a long log page by page', async () => {
    for (let n = 0; n < 3; n++)
      await appendAll(
        api.db,
        mina.id,
        Array.from({ length: 400 }, () => ({ ...entry, actor: { kind: 'user', id: mina.id, name, email: mina.email } })),
      )
    const { activity } = JSON.parse((await api.call(contract.exportAccount, {}, { as: mina })).text) as { activity: object[] }
    expect(activity).toHaveLength(1201)
  })
})

describe('after the deletion', () => {
  it('every session, access token, sign-in and reset link of the person is refused at once', async () => {
    const visitor = await host.signUp('leaver@example.com', 'Lea Ver')
    const { rows } = await api.db.execute<{ id: string }>(sql`select id from users where email = 'leaver@example.com'`)
    const id = rows[0]?.id ?? ''
    const first = { id, email: 'leaver@example.com', ...(await api.session(id)) }
    const phone = await api.session(id)
    const owner = await api.person()
    const { id: organizationId } = await api.organization(owner)
    await join(organizationId, id, 'developer')
    const projectId = await api.project({ organizationId })
    const { token } = await createTestObjects(api.deps).accessToken(projectId, id, { permissions: ['project:view'] })
    expect((await api.call(currentAccessToken, {}, { as: token })).status).toBe(200)
    await host.browser().submit('/forgot', { email: first.email })
    const reset = host.linkTo(first.email, '/reset/')
    const mails = api.sent.length
    expect((await remove(first)).status).toBe(204)
    for (const as of [first, phone]) expect((await api.call(self, {}, { as })).status).toBe(401)
    expect((await api.call(currentAccessToken, {}, { as: token })).status).toBe(401)
    expect((await visitor.get('/signin')).text).not.toContain('Continue as')
    expect((await host.browser('10.7.1.1').submit('/signin', { email: first.email, password })).status).toBe(401)
    expect((await host.browser().get(reset)).text).not.toContain('New password')
    // The last mail.
    await expect
      .poll(() => api.sent.slice(mails).map(({ to, subject }) => [to, subject]))
      .toEqual([['leaver@example.com', 'Teasel: your account was deleted']])
    // The address is free, and its new account has nothing of the former one.
    await host.signUp('leaver@example.com', 'Lea Again')
    const again = await api.db.execute<{ id: string }>(sql`select id from users where email = 'leaver@example.com'`)
    const fresh = again.rows[0]?.id ?? ''
    expect(fresh).not.toBe(id)
    const session = await api.session(fresh)
    expect((await api.call(organizations, {}, { as: session })).body.organizations).toEqual([])
    expect((await api.call(contract.accountDeletion, {}, { as: session })).body).toMatchObject({
      obstacles: [],
      access_tokens: 0,
    })
  })

  it('what the person made stays, under no name; nothing but the audit log has the name, the address or the picture', async () => {
    const owner = await api.person({ name: 'Olga Orr' })
    const { id, publicId } = await api.organization(owner, 'Kept')
    await join(id, mina.id, 'admin')
    const sent = {
      role: 'admin' as const,
      message: '',
      tokenHash: mina.id,
      expiresAt: api.deps.clock(),
      lastSentAt: api.deps.clock(),
      sendCount: 1,
    }
    await api.db.insert(invites).values({
      ...newRow(api.deps.clock()),
      organizationId: id,
      email: mina.email,
      ...sent,
      state: 'accepted',
      invitedBy: owner.id,
    })
    const projectId = await api.project({ organizationId: id })
    const fixture = await createRolloutFixture(api, mina, projectId, 1)
    const releaseId = fixture.release.id
    const { id: startedId } = await fixture.start()
    const startAt = formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000))
    const { id: rolloutId } = await fixture.start({ start_at: startAt })
    const timeline = async (id: string) => (await api.call(rolloutTimeline, { rolloutId: id }, { as: owner })).body.entries
    expect((await timeline(startedId)).map(({ by }) => by)).toContain(name)
    const view = { name: 'Shared', query: 'health=critical', columns: [], dense: false, shared: true }
    await api.call(createSavedView, { projectId }, { as: mina, body: view })
    const before = (await api.call(release, { releaseId }, { as: owner })).body
    expect(before.created_by?.name).toBe(name)
    const { headers } = await api.call(release, { releaseId }, { as: owner })
    expect((await remove(mina)).status).toBe(204)

    const after = await api.call(release, { releaseId }, { as: owner })
    expect(after.body.created_by).toEqual({ id: mina.id, name: 'Deleted user', kind: 'user' })
    expect(after.headers.etag).toBe(headers.etag)
    expect((await api.call(releases, { projectId }, { as: owner })).status).toBe(200)
    const authors = (await api.call(rollout, { rolloutId }, { as: owner })).body.created_by
    expect(authors).toEqual({ id: mina.id, name: 'Deleted user', kind: 'user' })
    expect([...new Set((await timeline(startedId)).flatMap(({ by }) => by ?? []))]).toEqual(['Deleted user'])
    // What the person had scheduled waits for another person, as that of somebody whose role has changed.
    api.advance(3601)
    await fixture.tick()
    const waiting = (await api.call(rollout, { rolloutId }, { as: owner })).body
    expect([waiting.state, waiting.state_reason]).toEqual([
      'scheduled',
      'It waits for a person: Deleted user, who created it, may no longer manage releases here. Start it now, or cancel it',
    ])
    const listed = (await api.call(savedViews, { projectId }, { as: owner })).body
    expect(JSON.stringify(listed)).toContain('"Shared"')
    const people = (await api.call(members, { organizationId: publicId }, { as: owner })).body.members
    expect(people.map(({ user }) => user.name)).toEqual(['Olga Orr'])

    const { entries, chain } = (await api.call(organizationAuditLog, { organizationId: publicId }, { as: owner })).body
    expect(chain.verified).toBe('yes')
    expect(entries[0]).toMatchObject({
      action: 'member.account_delete',
      actor: { kind: 'user', id: mina.id, name: 'Deleted user', email: null },
      changes: [{ field: 'base_role', before: 'admin', after: null }],
    })
    const told = (await api.call(notifications, {}, { as: owner })).body.notifications
    expect(told.map(({ kind, title }) => [kind, title])).toContainEqual([
      'member.account_deleted',
      `${name} deleted their account`,
    ])

    const { rows: tables } = await api.db.execute<{ name: string }>(sql`
      select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`)
    const naming: Record<string, string[]> = {}
    for (const { name: table } of tables)
      for (const what of [name, mina.email, mina.id]) {
        const { rows } = await api.ownerDb.execute(
          sql`select 1 from ${sql.identifier(table)} t where position(${what} in t::text) > 0 limit 1`,
        )
        if (rows.length > 0)
          naming[table] = [...(naming[table] ?? []), what === name ? 'name' : what === mina.id ? 'id' : 'address']
      }
    expect(naming).toEqual({
      // As it was written, until retention: the chain holds its text.
      audit_chains: ['id'],
      audit_counts: ['name', 'id'],
      audit_entries: ['name', 'address', 'id'],
      // Of the last 30 days, as webhooks have sent them.
      events: ['name'],
      // The last mail.
      mails: ['address'],
      // The owners were told by name; for 30 days.
      notifications: ['name', 'id'],
      release_signatures: ['id'],
      releases: ['id'],
      rollouts: ['id'],
    })
  })
})
