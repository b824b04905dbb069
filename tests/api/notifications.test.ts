import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { and, eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createInvites, resendInvite, revokeInvite } from '../../contract/accounts/invites'
import { removeMember } from '../../contract/accounts/members'
import * as contract from '../../contract/accounts/notifications'
import { revokeRelease } from '../../contract/updates/releases'
import * as steps from '../../contract/updates/rollout-steps'
import { announceExpiringTokens } from '../../server/accounts/access-tokens/expiring'
import { createNotifications } from '../../server/accounts/notifications/create'
import { deleteNotificationsBefore } from '../../server/accounts/notifications/repository'
import { sendNotificationMails } from '../../server/accounts/notifications/send'
import { members } from '../../server/accounts/schema/organizations'
import { notifications, notificationSettings } from '../../server/accounts/schema/notifications'
import { updateLastSignIn } from '../../server/accounts/users/repository'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { notificationQueue } from '../../server/core/database/schema/notification-queue'
import { emitEvents } from '../../server/core/events/emit'
import { nextId } from '../../server/core/ids'
import { openMailer } from '../../server/core/mail/mailer'
import { countDevicesOfPlan } from '../../server/fleet/devices/repository'
import { announceExpiringKeys } from '../../server/fleet/keys/expiring'
import { devices } from '../../server/fleet/schema/devices'
import { signingKeys } from '../../server/fleet/schema/keys'
import { findAskers } from '../../server/updates/rollouts/offer/askers.repository'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { createRolloutFixture } from '../support/rollout-fixture'
import { createSignIn, password } from '../support/sign-in'
import { startSmtpServer } from '../support/smtp-server'
import { createTestObjects } from '../support/test-objects'

let api: TestApi
let smtp: Awaited<ReturnType<typeof startSmtpServer>>
let deps: TestApi['deps']
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  api = await createTestApi()
  smtp = await startSmtpServer()
  deps = { ...api.deps, config: { ...api.config, smtpUrl: smtp.url }, mail: openMailer({ ...api.config, smtpUrl: smtp.url }) }
  host = await createSignIn(api)
})
afterAll(async () => {
  await host.close()
  await smtp.stop()
  await api.close()
})
// What an earlier test left is due no more.
beforeEach(async () => {
  await api.ownerDb.update(notifications).set({ mailAt: null })
})

const sources = { findAskers, countDevices: countDevicesOfPlan }
const run = async () => {
  await createNotifications(deps, sources)
  await sendNotificationMails(deps)
}
const minutes = (n: number) => api.advance(n * 60)
/** With a new session: that of the person ends while the test moves the clock. */
const list = async ({ id }: Person) => {
  const reply = await api.call(contract.notifications, {}, { as: await api.session(id) })
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
const kindsOf = async (as: Person) => (await list(as)).notifications.map(({ kind }) => kind)
const subjectsTo = ({ email }: Person) => smtp.to(email).map(({ subject }) => subject)
const choose = (as: Person, projectId: string, level: contract.NotificationLevel) =>
  api.call(contract.changeNotificationSetting, { projectId }, { as, body: { level } })

/** An organization with a project and one member of each role that matters. */
const team = async () => {
  const owner = await api.person({ name: 'Ola' })
  const organization = await api.organization(owner)
  const projectId = await api.project({ organizationId: organization.id }, 'Gateways')
  const developer = await api.member(organization.id, 'developer')
  const operator = await api.member(organization.id, 'operator')
  const viewer = await api.member(organization.id, 'viewer')
  const people = { owner, developer, operator, viewer }
  return { ...people, organization, projectId, people: Object.values(people) }
}
type Team = Awaited<ReturnType<typeof team>>

const rolloutId = () => nextId(api.deps.clock())
type Halt = { id: string; name?: string; text?: string }
const emitHalt = (
  { projectId }: Pick<Team, 'projectId'>,
  { id, name = 'Spring', text = 'Wave 1 was halted: 3 of 10 failed' }: Halt,
) =>
  emitEvents(
    api.db,
    [{ projectId, type: 'rollout.halted', data: { rollout: { id, name }, release_id: id, wave: 1, text, by: null } }],
    api.deps.clock(),
  )
const emitWait = ({ projectId }: Team, id: string, text = 'Wave 1 has passed and waits for a person') =>
  emitEvents(
    api.db,
    [
      {
        projectId,
        type: 'rollout.waiting_for_user',
        data: { rollout: { id, name: 'Spring' }, release_id: id, wave: 1, text, by: null },
      },
    ],
    api.deps.clock(),
  )
const emitOffline = async ({ projectId }: Team, count: number, summed = 0) => {
  const device = (n: number) => ({ id: nextId(api.deps.clock()), name: `gateway-${n}`, serial_number: null })
  const single = Array.from({ length: count }, (_, n) => ({
    projectId,
    type: 'device.offline' as const,
    data: { device: device(n), before: 'online' as const, last_seen_at: null },
  }))
  const sum = { projectId, type: 'device.offline.many' as const, data: { count: summed, sample: [device(99)] } }
  await emitEvents(api.db, summed > 0 ? [...single, sum] : single, api.deps.clock())
}

describe('people are notified once, in the console and by mail', () => {
  it('of a wanted approval, only those who can give it and did not ask', async () => {
    const { owner, developer, operator, viewer, projectId } = await team()
    await api.db.execute(`update projects set settings = settings || '{"require_approval": true}' where id = '${projectId}'`)
    const play = await createRolloutFixture(api, owner, projectId, 1)
    const { id } = await play.make()
    await api.call(steps.submitRollout, { rolloutId: id }, { as: owner, body: {} })
    await choose(viewer, projectId, 'all')
    await run()
    await run()
    expect(await Promise.all([owner, developer, operator, viewer].map(kindsOf))).toEqual([
      [],
      [],
      ['rollout.approval_requested'],
      [],
    ])
    expect(smtp.to(operator.email)).toHaveLength(1)
    const [mail] = smtp.to(operator.email)
    expect(mail?.subject).toMatch(/^Teasel: Approval wanted: .* · Gateways$/)
    expect(mail?.text).toContain(`${api.config.urls.console}/organizations/`)
    expect(mail?.text).toContain(`/projects/${projectId}/releases/rollouts/${id}`)
    expect(mail?.text).toContain('Ola asks for approval')
    expect([owner, developer, viewer].map(({ email }) => smtp.to(email).length)).toEqual([0, 0, 0])
  })

  it.each([
    ['approved', steps.approveRollout, 'Approved: Fine'],
    ['denied', steps.denyRollout, 'Denied: Fine'],
  ] as const)(
    'of a rollout that is %s, only the person who asked, and its devices are told nothing that is over',
    async (word, decide, text) => {
      const { owner, developer, operator, projectId } = await team()
      await api.db.execute(`update projects set settings = settings || '{"require_approval": true}' where id = '${projectId}'`)
      const play = await createRolloutFixture(api, owner, projectId, 2)
      const { id } = await play.make()
      await api.call(steps.submitRollout, { rolloutId: id }, { as: owner, body: {} })
      const decided = await api.call(decide, { rolloutId: id }, { as: operator, body: { comment: 'Fine' } })
      expect(decided.status, decided.text).toBe(200)
      await run()
      expect((await list(owner)).notifications).toMatchObject([
        {
          kind: `rollout.${word}`,
          title: expect.stringMatching(new RegExp(`^Rollout ${word}: `)),
          text: expect.stringContaining(text),
        },
      ])
      expect(await kindsOf(developer)).toEqual([])
      expect(subjectsTo(owner).at(-1)).toMatch(new RegExp(`^Teasel: Rollout ${word}: `))
      expect((await play.read(id)).counts.waiting).toBe(word === 'denied' ? 0 : 2)
    },
  )

  it('of a rollout that the gate halts, and not the person who halts one', async () => {
    const { owner, developer, operator, projectId } = await team()
    const play = await createRolloutFixture(api, owner, projectId, 3)
    await play.start()
    await play.round(play.ids, 'boot_failed')
    await play.tick()
    await run()
    expect(await kindsOf(owner)).toEqual(['rollout.halted'])
    expect((await list(developer)).notifications).toMatchObject([
      { title: expect.stringMatching(/^Rollout halted: /), text: expect.stringContaining('Wave 1 was halted'), read: false },
    ])
    expect(await kindsOf(operator)).toEqual([])
    expect([smtp.to(owner.email).length, smtp.to(developer.email).length, smtp.to(operator.email).length]).toEqual([1, 1, 0])

    const other = await team()
    const second = await createRolloutFixture(api, other.owner, other.projectId, 3)
    const { id } = await second.start()
    await api.call(steps.haltRollout, { rolloutId: id }, { as: other.owner, body: { reason: 'Smoke' } })
    await run()
    expect(await kindsOf(other.owner)).toEqual([])
    expect((await list(other.developer)).notifications).toMatchObject([{ text: expect.stringContaining('Smoke') }])
  })

  it('of how a rollback ended, and once more when the last device has returned after its end', async () => {
    const { owner, developer, projectId } = await team()
    const play = await createRolloutFixture(api, owner, projectId, 2)
    const runs = { installedReleaseId: play.release.id, installedVersion: 2, rollbackVersion: 0 }
    await api.db.update(devices).set(runs).where(eq(devices.projectId, projectId))
    const leaking = await play.maker.signed({ version: 3, bytes: Buffer.from('leaking') })
    const { id } = await play.start({}, leaking.id)
    expect(await play.round()).toBe(2)
    await api.call(steps.rollBackRollout, { rolloutId: id }, { as: owner, body: { reason: 'It leaks memory' } })
    const [first = '', second = ''] = play.ids
    const silent = new Date(api.deps.clock().getTime() - 86_400_000)
    await api.db.update(devices).set({ lastSeenAt: silent }).where(eq(devices.id, second))
    expect(await play.round([first])).toBe(1)
    await play.tick()
    await play.tick()
    await run()
    const name = (await play.read(id)).name
    const told = async () => (await list(developer)).notifications.map(({ title, text }) => [title, text])
    const incomplete = [
      `Rollback ended: ${name}`,
      expect.stringContaining('1 of 2 returned; 1 is offline and returns at the next check-in'),
    ]
    expect(await told()).toEqual([incomplete])
    expect(await play.round([second])).toBe(1)
    await play.tick()
    await play.tick()
    await run()
    expect(await told()).toEqual([[`Rollback ended: ${name}`, 'All 2 devices have returned'], incomplete])
    await play.tick()
    api.advance(901)
    await run()
    const mails = smtp.to(developer.email).map(({ text }) => text)
    expect(mails).toHaveLength(2)
    expect(mails[0]).toContain('1 of 2 returned')
    expect(mails[1]).toContain('All 2 devices have returned')
    expect(mails[1]).toContain(`/releases/rollouts/${id}`)
  })

  it('of a revoked release, of keys 30 days, 7 days and a day before they expire, and of access tokens', async () => {
    const { owner, developer, viewer, projectId } = await team()
    const play = await createRolloutFixture(api, owner, projectId, 1)
    await api.call(revokeRelease, { releaseId: play.release.id }, { as: owner, body: { reason: 'It fails' } })
    await run()
    expect([await kindsOf(developer), await kindsOf(owner)]).toEqual([['release.revoked'], []])
    expect(smtp.to(developer.email).at(-1)?.text).toContain('Reason: It fails')

    const day = 86_400_000
    const expiresAt = new Date(api.deps.clock().getTime() + 31 * day)
    const keyId = await createTestObjects(api.deps).signingKey(projectId)
    await api.db.update(signingKeys).set({ expiresAt, name: 'Field key' }).where(eq(signingKeys.id, keyId))
    await createTestObjects(api.deps).accessToken(projectId, owner.id, { expiresAt, name: 'ci' })
    const seen: number[] = []
    for (const advance of [0, 1, 0, 23, 6, 3]) {
      api.advance(advance * 86_400)
      await announceExpiringKeys(api.deps)
      await announceExpiringTokens(api.deps)
      await run()
      seen.push((await kindsOf(developer)).length - 1)
    }
    expect(seen).toEqual([0, 2, 2, 4, 6, 6])
    expect(subjectsTo(developer).filter((subject) => subject?.includes('Field key'))).toHaveLength(3)
    expect(subjectsTo(developer).filter((subject) => subject?.includes('Access token expires'))).toHaveLength(3)
    expect(await kindsOf(viewer)).toEqual([])
  })

  it('of devices that go offline in number, once in a quarter of an hour', async () => {
    const group = await team()
    await emitOffline(group, 9)
    await run()
    expect(await kindsOf(group.operator)).toEqual([])
    minutes(5)
    await emitOffline(group, 1)
    await run()
    expect((await list(group.operator)).notifications).toMatchObject([
      { title: '10 devices went offline', text: expect.stringContaining('gateway-0') },
    ])
    await emitOffline(group, 20, 500)
    minutes(14)
    await run()
    expect(await kindsOf(group.operator)).toHaveLength(1)
    minutes(2)
    await emitOffline(group, 1, 11)
    await run()
    expect((await list(group.operator)).notifications.map(({ title }) => title)).toEqual([
      '12 devices went offline',
      '10 devices went offline',
    ])
    expect([smtp.to(group.operator.email).length, smtp.to(group.viewer.email).length]).toEqual([2, 0])
  })

  it('of no devices that go offline as a small share of the project', async () => {
    const group = await team()
    const many = { ...sources, countDevices: async () => 201 }
    await emitOffline(group, 10)
    await createNotifications(deps, many)
    expect(await kindsOf(group.operator)).toEqual([])
    await emitOffline(group, 1)
    await createNotifications(deps, many)
    expect(await kindsOf(group.operator)).toEqual(['devices.offline'])
  })

  it('of an invite, while it is open, by its own mail', async () => {
    const { owner, organization } = await team()
    const invited = await api.person()
    const body = { emails: [invited.email], base_role: 'viewer' as const }
    const made = await api.call(createInvites, { organizationId: organization.publicId }, { as: owner, body })
    await run()
    expect((await list(invited)).notifications).toMatchObject([
      { kind: 'invite.received', title: 'Ola invites you to Orchard', link: null, project: null },
    ])
    expect(smtp.to(invited.email)).toEqual([])
    expect(api.sent.filter(({ to }) => to === invited.email)).toHaveLength(1)
    const inviteId = made.body.invites[0]?.id ?? ''
    await api.call(revokeInvite, { organizationId: organization.publicId, inviteId }, { as: owner })
    expect(await list(invited)).toMatchObject({ notifications: [], unread: 0 })
  })

  it('of an invite no longer when its sender may not invite any more, and again when somebody else sends it', async () => {
    const { owner, organization } = await team()
    const [sender, invited] = [await api.member(organization.id, 'admin'), await api.person()]
    const body = { emails: [invited.email], base_role: 'viewer' as const }
    const params = { organizationId: organization.publicId }
    const made = await api.call(createInvites, params, { as: sender, body })
    await run()
    expect(await list(invited)).toMatchObject({ unread: 1 })
    await api.call(removeMember, { ...params, memberId: sender.id }, { as: owner })
    expect(await list(invited)).toMatchObject({ notifications: [], unread: 0 })
    await api.call(resendInvite, { ...params, inviteId: made.body.invites[0]?.id ?? '' }, { as: owner })
    await run()
    expect(await list(invited)).toMatchObject({ notifications: [{ kind: 'invite.received' }], unread: 1 })
  })

  it('of a sign-in from a browser that is new, and of no other', async () => {
    const email = 'new-browser@example.com'
    const first = await host.signUp(email)
    const [user] = await api.db.execute<{ id: string }>(`select id from users where email = '${email}'`).then(({ rows }) => rows)
    const person = { id: user?.id ?? '', email, ...(await api.session(user?.id ?? '')) }
    await updateLastSignIn(api.db, person.id, api.deps.clock())
    await first.submit('/signin', { email, password })
    await run()
    expect(await kindsOf(person)).toEqual([])
    const other = host.browser('203.0.113.7')
    await other.submit('/signin', { email, password })
    await other.submit('/signin', { email, password })
    await run()
    expect((await list(person)).notifications).toMatchObject([
      {
        kind: 'sign_in.new_browser',
        text: expect.stringMatching(/ signed in .* UTC from 203\.0\.113\.7\. /),
        link: '/account/settings/security',
      },
    ])
    const [mail] = smtp.to(email)
    expect(smtp.to(email)).toHaveLength(1)
    expect(mail?.text).toContain('security of your account')
    expect(mail?.headers.get('list')).toBeUndefined()
  })
})

describe('the setting of a person for a project', () => {
  it('is what needs them at first, and all or nothing if they choose it', async () => {
    const group = await team()
    const { owner, operator, viewer, developer, projectId } = group
    await choose(viewer, projectId, 'all')
    await choose(developer, projectId, 'nothing')
    await emitHalt(group, { id: rolloutId() })
    await run()
    const told = async (people: Person[]) => Promise.all(people.map(async (one) => (await kindsOf(one)).length))
    expect(await told([owner, operator, viewer, developer])).toEqual([1, 0, 1, 0])
    expect([owner, operator, viewer, developer].map(({ email }) => smtp.to(email).length)).toEqual([1, 0, 1, 0])
    const settings = async (as: Person) => (await api.call(contract.notificationSettings, {}, { as })).body.settings
    expect(await settings(viewer)).toMatchObject([{ project: { id: projectId, name: 'Gateways' }, level: 'all' }])
    expect(await settings(owner)).toMatchObject([{ level: 'needs_me', organization: { name: 'Orchard' } }])
  })

  it('cannot be chosen for a project that the person may not see, and its change is in their audit log', async () => {
    const { developer, projectId } = await team()
    const outsider = await api.person()
    expect((await choose(outsider, projectId, 'all')).status).toBe(404)
    expect((await choose(developer, projectId, 'all')).body).toMatchObject({ level: 'all' })
    const [entry] = await api.db.select().from(auditEntries).where(eq(auditEntries.chainId, developer.id))
    expect(entry).toMatchObject({
      action: 'user.notifications_change',
      changes: [{ field: 'level', before: 'needs_me', after: 'all' }],
    })
  })
})

describe('the rights of a person', () => {
  it('are checked when a mail is sent: who was removed or demoted gets nothing, and sees nothing', async () => {
    const group = await team()
    const { owner, developer, organization } = group
    const admin = await api.member(organization.id, 'admin')
    await emitHalt(group, { id: rolloutId() })
    await createNotifications(deps, sources)
    expect(await Promise.all([owner, developer, admin].map(kindsOf))).toEqual([
      ['rollout.halted'],
      ['rollout.halted'],
      ['rollout.halted'],
    ])
    const of = ({ id }: Person) => and(eq(members.userId, id), eq(members.organizationId, organization.id))
    await api.db.delete(members).where(of(developer))
    await api.db.update(members).set({ baseRole: 'viewer' }).where(of(admin))
    await sendNotificationMails(deps)
    expect([owner, developer, admin].map(({ email }) => smtp.to(email).length)).toEqual([1, 0, 0])
    expect(await list(developer)).toMatchObject({ notifications: [], unread: 0 })
    // They do not get it later either.
    await api.db.update(members).set({ baseRole: 'admin' }).where(of(admin))
    minutes(60)
    await run()
    expect(smtp.to(admin.email)).toEqual([])
  })

  it('do not reach the notifications of others', async () => {
    const group = await team()
    await emitHalt(group, { id: rolloutId() })
    await run()
    const [mine] = (await list(group.owner)).notifications
    const read = (as: Person) => api.call(contract.readNotification, { notificationId: mine?.id ?? '' }, { as })
    expect((await read(group.developer)).status).toBe(404)
    expect((await read(group.owner)).status).toBe(204)
    expect(await list(group.owner)).toMatchObject({ unread: 0, notifications: [{ read: true }] })
    expect(await list(group.developer)).toMatchObject({ unread: 1 })
  })
})

it('notifications are listed in pages, newest first, marked as read up to one, and deleted after 30 days', async () => {
  const group = await team()
  const { owner } = group
  for (let n = 0; n < 5; n++) {
    minutes(1)
    await emitHalt(group, { id: rolloutId(), name: `Rollout ${n}` })
  }
  await run()
  const page = (cursor?: string) =>
    api.call(contract.notifications, {}, { as: owner, query: { limit: 2, ...(cursor !== undefined && { cursor }) } })
  const titles: string[] = []
  const ids: string[] = []
  for (let cursor: string | undefined, n = 0; n < 3; n++) {
    const { body } = await page(cursor)
    titles.push(...body.notifications.map(({ title }) => title))
    ids.push(...body.notifications.map(({ id }) => id))
    cursor = body.next_cursor ?? undefined
  }
  expect(titles).toEqual([4, 3, 2, 1, 0].map((n) => `Rollout halted: Rollout ${n}`))
  // One that arrives meanwhile stays unread.
  await api.call(contract.readNotifications, {}, { as: owner, body: { through: ids[1] ?? '' } })
  expect((await list(owner)).unread).toBe(1)
  await deleteNotificationsBefore(api.db, new Date(api.deps.clock().getTime() + 1))
  expect(await list(owner)).toMatchObject({ notifications: [], unread: 0 })
})

describe('mails about one rollout', () => {
  it('have a quarter of an hour between them, and what happens meanwhile is in the next one', async () => {
    const group = await team()
    const { owner } = group
    const id = rolloutId()
    await emitWait(group, id)
    await run()
    expect(smtp.to(owner.email)).toHaveLength(1)
    for (const text of ['Wave 2 was halted: first', 'Wave 2 was halted: second']) {
      minutes(5)
      await emitHalt(group, { id, text })
      await run()
    }
    // Another rollout does not wait.
    await emitHalt(group, { id: rolloutId(), name: 'Other' })
    await run()
    expect(subjectsTo(owner)).toEqual(['Teasel: Rollout waits: Spring · Gateways', 'Teasel: Rollout halted: Other · Gateways'])
    minutes(4)
    await run()
    expect(smtp.to(owner.email)).toHaveLength(2)
    minutes(1)
    await run()
    await run()
    const last = smtp.to(owner.email).at(-1)
    expect(smtp.to(owner.email)).toHaveLength(3)
    expect(last?.subject).toBe('Teasel: Rollout halted: Spring · Gateways (and 1 more)')
    expect(last?.text).toMatch(/first[\s\S]*second/)
    expect((await list(owner)).notifications).toHaveLength(4)
  })
})

describe('the mail server', () => {
  const failures = (text: string) => api.lines.filter((line) => line.includes(text)).length

  it('is asked again, later each time, until it takes the mail', async () => {
    const group = await team()
    await emitHalt(group, { id: rolloutId() })
    await smtp.pause()
    await run()
    expect(failures('notifications were not mailed')).toBeGreaterThan(0)
    await smtp.restart()
    minutes(4)
    await run()
    expect(smtp.to(group.owner.email)).toEqual([])
    smtp.state.full = true
    minutes(1)
    await run()
    minutes(4)
    smtp.state.full = false
    await run()
    expect(smtp.to(group.owner.email)).toEqual([])
    minutes(1)
    await run()
    await run()
    expect([smtp.to(group.owner.email).length, smtp.to(group.developer.email).length]).toEqual([1, 1])
  })

  it('is not asked any more after a day, and the notification stays in the console', async () => {
    const group = await team()
    await emitHalt(group, { id: rolloutId() })
    await smtp.pause()
    await run()
    minutes(25 * 60)
    await smtp.restart()
    await run()
    expect(smtp.to(group.owner.email)).toEqual([])
    expect(failures('were not mailed within a day')).toBeGreaterThan(0)
    expect(await kindsOf(group.owner)).toEqual(['rollout.halted'])
  })

  it('that refuses an address for good is not asked again for it, which the log says', async () => {
    const group = await team()
    const { owner, developer } = group
    smtp.state.refused.add(owner.email)
    const before = failures('it is not sent again')
    await emitHalt(group, { id: rolloutId() })
    await run()
    expect([smtp.to(owner.email).length, smtp.to(developer.email).length, failures('it is not sent again')]).toEqual([
      0,
      1,
      before + 1,
    ])
    smtp.state.refused.clear()
    const { connections } = smtp.state
    minutes(600)
    await run()
    expect([smtp.to(owner.email).length, smtp.state.connections]).toEqual([0, connections])
    expect(
      await api.db.$count(notifications, and(eq(notifications.userId, owner.id), eq(notifications.projectId, group.projectId))),
    ).toBe(1)
  })
})

it('names and texts with markup, line breaks and headers stay text in a mail', async () => {
  const owner = await api.person({ name: 'Ola' })
  const organization = await api.organization(owner)
  const projectId = await api.project({ organizationId: organization.id }, 'P\r\nBcc: thief@example.com')
  const name = '</h2><script>alert(1)</script>\r\nBcc: thief@example.com\r\n\r\n<img src=x onerror=alert(2)>'
  await emitHalt(
    { projectId },
    { id: rolloutId(), name, text: 'Wave 1\r\n.\r\nMAIL FROM:<thief@example.com>\r\n<b>bold</b> \u202Etxt' },
  )
  await run()
  const [mail] = smtp.to(owner.email)
  expect(smtp.to('thief@example.com')).toEqual([])
  expect(mail?.bcc).toBeUndefined()
  expect(mail?.subject).toContain('\\r\\nBcc: thief@example.com')
  expect([mail?.headers.has('bcc'), mail?.headers.has('mail')]).toEqual([false, false])
  const page = typeof mail?.html === 'string' ? mail.html : ''
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page).toContain('&lt;img src=x onerror=alert(2)&gt;')
  expect(page).toContain('\\u202e')
  expect(page.match(/<(script|img|b)\b/g)).toBeNull()
  expect(mail?.text).toContain('\\r\\n.\\r\\nMAIL FROM:<thief@example.com>')
})

describe('the unsubscribe link of a mail', () => {
  const unsubscribeUrl = (person: Person) => {
    const list = smtp.to(person.email).at(-1)?.headers.get('list') as { unsubscribe?: { url?: string } } | undefined
    return new URL(list?.unsubscribe?.url ?? 'http://nowhere')
  }
  const levelOf = async (as: Person) => (await api.call(contract.notificationSettings, {}, { as })).body.settings[0]?.level
  const mailed = async () => {
    const group = await team()
    await emitHalt(group, { id: rolloutId() })
    await run()
    return { ...group, url: unsubscribeUrl(group.owner) }
  }
  const oneClick = (path: string, payload: string, type: string) =>
    host.app.inject({ method: 'POST', url: path, payload, headers: { host: 'localhost:3000', 'content-type': type } })
  const form = 'application/x-www-form-urlencoded'

  it('ends the mails by one POST without a session or cookie, and by no GET', async () => {
    const group = await mailed()
    const { owner, url } = group
    const [mail] = smtp.to(owner.email)
    expect(url.origin).toBe(api.config.urls['sign-in'])
    expect(mail?.headerLines.find(({ key }) => key === 'list-unsubscribe-post')?.line).toBe(
      'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
    )
    expect(mail?.text).toContain(url.href)
    for (const method of ['GET', 'HEAD'] as const) {
      const seen = await host.app.inject({ method, url: url.pathname, headers: { host: 'localhost:3000' } })
      expect([seen.statusCode, await levelOf(owner)]).toEqual([200, 'needs_me'])
    }
    expect((await host.browser().get(url.pathname)).text).toContain('Gateways')
    const sent = await oneClick(url.pathname, 'List-Unsubscribe=One-Click', form)
    expect([sent.statusCode, await levelOf(owner)]).toEqual([200, 'nothing'])
    // Again: the same answer, and no second entry in the audit log.
    expect((await oneClick(url.pathname, 'List-Unsubscribe=One-Click', form)).statusCode).toBe(200)
    const entries = await api.db.select().from(auditEntries).where(eq(auditEntries.chainId, owner.id))
    expect(entries.filter(({ action }) => action === 'user.notifications_change')).toMatchObject([
      { actor: { kind: 'anonymous' }, credential: { kind: 'unsubscribe_link' } },
    ])
    minutes(20)
    await emitHalt(group, { id: rolloutId() })
    await run()
    expect([smtp.to(owner.email).length, (await list(owner)).notifications.length]).toEqual([1, 1])
  })

  it('takes a multipart body, as RFC 8058 allows', async () => {
    const { owner, url } = await mailed()
    const body = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'
    const sent = await oneClick(url.pathname, body, 'multipart/form-data; boundary=x')
    expect([sent.statusCode, await levelOf(owner)]).toEqual([200, 'nothing'])
  })

  it('says that it has ended to a person who has left the project, and changes nothing', async () => {
    const { developer, organization } = await mailed()
    const { pathname } = unsubscribeUrl(developer)
    await api.db.delete(members).where(and(eq(members.userId, developer.id), eq(members.organizationId, organization.id)))
    expect((await oneClick(pathname, 'List-Unsubscribe=One-Click', form)).statusCode).toBe(404)
    const page = await host.browser().get(pathname)
    expect(page.text).toContain('This link no longer works')
    expect(page.text).not.toContain('Gateways')
    expect(await api.db.select().from(notificationSettings).where(eq(notificationSettings.userId, developer.id))).toEqual([])
  })

  it('does nothing if it was forged, and nothing any more once the person has chosen again', async () => {
    const { owner, developer, projectId, url } = await mailed()
    const token = url.pathname.split('/').at(-1) ?? ''
    const forged = [
      `${developer.id}${token.slice(26)}`,
      token.replace('.', '1.'),
      // The last character has two bits that no byte has: the first one of the signature is another byte for sure.
      token.replace(/\.(.)/, (_, first) => `.${first === 'A' ? 'B' : 'A'}`),
      token.split('.')[0] ?? '',
      'x',
    ]
    for (const one of forged) {
      expect((await oneClick(`/unsubscribe/${one}`, 'List-Unsubscribe=One-Click', form)).statusCode, one).toBe(404)
      expect((await host.browser().get(`/unsubscribe/${one}`)).text).toContain('no longer works')
    }
    expect([await levelOf(owner), await levelOf(developer)]).toEqual(['needs_me', 'needs_me'])
    await oneClick(url.pathname, '', form)
    expect(await levelOf(owner)).toBe('nothing')
    await choose(owner, projectId, 'all')
    expect((await oneClick(url.pathname, '', form)).statusCode).toBe(404)
    expect(await levelOf(owner)).toBe('all')
  })
})

describe('a process that is killed', () => {
  const script = fileURLToPath(new URL('../support/notification-process.ts', import.meta.url))
  const start = () =>
    spawn(process.execPath, ['--import', 'tsx', script, api.deps.clock().toISOString()], {
      env: {
        ...process.env,
        DATABASE_URL: api.config.databaseUrl,
        TEASEL_DATA_DIR: api.config.dataDirectory,
        SMTP_URL: smtp.url,
      },
      stdio: 'inherit',
    })

  it('while it sends loses no mail and makes no notification twice', async () => {
    const owner = await api.person()
    const projectId = await api.project({ ownerId: owner.id })
    const id = rolloutId()
    for (let n = 0; n < 3; n++) {
      await emitHalt({ projectId }, { id, text: `Wave ${n}` })
      api.advance(1)
    }
    const child = start()
    const ended = once(child, 'exit')
    await new Promise<void>((resolve) => (smtp.state.hold = resolve))
    child.kill('SIGKILL')
    await ended
    smtp.state.hold = undefined
    expect(await api.db.$count(notificationQueue)).toBe(0)
    await run()
    expect(smtp.to(owner.email)).toEqual([])
    minutes(5)
    await run()
    await run()
    expect(smtp.to(owner.email)).toHaveLength(1)
    expect(smtp.to(owner.email)[0]?.text).toMatch(/Wave 0[\s\S]*Wave 1[\s\S]*Wave 2/)
    expect(await kindsOf(owner)).toEqual(['rollout.halted', 'rollout.halted', 'rollout.halted'])
  })

  it('before it has committed leaves the events queued, in whatever order they were committed', async () => {
    const owner = await api.person()
    const projectId = await api.project({ ownerId: owner.id })
    const halted = (n: number) => emitHalt({ projectId }, { id: rolloutId(), name: `Rollout ${n}` })
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const data = (name: string) => ({
      rollout: { id: rolloutId(), name },
      release_id: rolloutId(),
      wave: 1,
      text: 'Late',
      by: null,
    })
    const late = api.db.transaction(async (tx) => {
      await emitEvents(tx, [{ projectId, type: 'rollout.halted', data: data('Early begun') }], api.deps.clock())
      await held
    })
    await halted(1)
    const fails = {
      ...sources,
      findAskers: () => Promise.reject(new Error('killed')),
      countDevices: () => Promise.reject(new Error('killed')),
    }
    await emitEvents(api.db, [{ projectId, type: 'rollout.approval_requested', data: data('Asked') }], api.deps.clock())
    await expect(createNotifications(deps, fails)).rejects.toThrow('killed')
    expect(await kindsOf(owner)).toEqual([])
    await createNotifications(deps, sources)
    release()
    await late
    await createNotifications(deps, sources)
    expect((await list(owner)).notifications.map(({ title }) => title).toSorted()).toEqual([
      'Approval wanted: Asked',
      'Rollout halted: Early begun',
      'Rollout halted: Rollout 1',
    ])
  })
})
