import { eq } from 'drizzle-orm'
import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAccessRequest } from '../../contract/accounts/access-requests'
import { changePassword } from '../../contract/accounts/account'
import { createInvites, resendInvite, revokeInvite } from '../../contract/accounts/invites'
import { createSession } from '../../contract/accounts/sessions'
import { passwordResets, registrations, signInCodes, signInSteps, users } from '../../server/accounts/schema/people'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { mails } from '../../server/core/database/schema/plumbing'
import { sweepSignIns } from '../../server/jobs'
import { openMailer } from '../../server/core/mail/mailer'
import { maintainMails } from '../../server/core/mail/mail-job'
import { createTestApi, type TestApi } from '../support/api'
import { startMailServer } from '../support/mail-server'
import { authorizeQuery, createSignIn, password, pkce } from '../support/sign-in'
import { within } from '../support/machine-load'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  api = await createTestApi({ TEASEL_LIMIT_MAILS_PER_HOUR: '5', TEASEL_LIMIT_MAILS_PER_DAY: '8' })
  host = await createSignIn(api)
})
afterAll(async () => {
  await host.close()
  await api.close()
})

let n = 0
const newAddress = () => `reader${(n += 1)}@example.com`
const rowsTo = (to: string) => api.db.select().from(mails).where(eq(mails.to, to)).orderBy(mails.id)
/** In alphabetical order: empty texts come first. */
const textsTo = async (to: string) => (await rowsTo(to)).map(({ text }) => text).toSorted()
const sentTo = (to: string) => api.sent.filter((mail) => mail.to === to).length
const hours = (count: number) => api.advance(count * 3600)
const outbox = async () => (await host.browser().get('/outbox')).text

it('an outbox without mails says so', async () => {
  await api.db.delete(mails)
  expect(await outbox()).toContain('<p class="after">No mails yet</p>')
})

describe('a link in a mail of the outbox', () => {
  it('of a sign-up is removed once the account is created, with other requested links', async () => {
    const email = newAddress()
    for (let round = 0; round < 2; round++) await host.browser().submit('/signup', { email, full_name: 'Ines' })
    const link = host.linkTo(email, '/signup/')
    expect(await outbox()).toContain(link)
    expect((await host.browser().submit(link, { password })).status).toBe(303)
    expect(await textsTo(email)).toEqual(['', ''])
    expect(await outbox()).not.toContain(link)
  })

  it('of a password reset is removed once a password was chosen, with other requested links', async () => {
    const email = newAddress()
    await host.signUp(email)
    for (let round = 0; round < 2; round++) await host.browser().submit('/forgot', { email })
    expect(await textsTo(email)).toEqual(['', expect.stringContaining('/reset/'), expect.stringContaining('/reset/')])
    await host.browser().submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
    // The last one says that it was changed.
    expect(await textsTo(email)).toEqual(['', '', '', expect.stringContaining('Your password was changed')])
  })

  it('of an invite is removed when it is sent again, withdrawn, accepted or declined', async () => {
    const founder = await api.person()
    const { publicId: organizationId } = await api.organization(founder)
    const invite = async (email: string) => {
      const body = { emails: [email], base_role: 'viewer' as const }
      const { invites } = (await api.call(createInvites, { organizationId }, { as: founder, body })).body
      return { inviteId: invites[0]?.id ?? '', path: new URL(invites[0]?.accept_url ?? '').pathname }
    }
    const withdrawn = newAddress()
    const { inviteId } = await invite(withdrawn)
    await api.call(resendInvite, { organizationId, inviteId }, { as: founder })
    expect(await textsTo(withdrawn)).toEqual(['', expect.stringContaining('/invites/')])
    await api.call(revokeInvite, { organizationId, inviteId }, { as: founder })
    expect(await textsTo(withdrawn)).toEqual(['', ''])
    for (const answer of ['accept', 'decline']) {
      const email = newAddress()
      const visitor = await host.signUp(email)
      const { path } = await invite(email)
      expect(await textsTo(email)).toEqual(['', expect.stringContaining(path)])
      await visitor.submit(path, { answer })
      expect(await textsTo(email)).toEqual(['', ''])
    }
  })

  it('is removed after 24 hours, and the mail after seven days', async () => {
    const email = newAddress()
    await host.browser().submit('/signup', { email, full_name: 'Ines' })
    api.advance(24 * 3600 - 1)
    await maintainMails(api.deps)
    expect((await textsTo(email))[0]).toContain('/signup/')
    api.advance(1)
    await maintainMails(api.deps)
    expect(await textsTo(email)).toEqual([''])
    expect(await outbox()).toContain('The text was removed')
    api.advance(6 * 24 * 3600 - 1)
    await maintainMails(api.deps)
    expect(await rowsTo(email)).toHaveLength(1)
    api.advance(1)
    await maintainMails(api.deps)
    expect(await rowsTo(email)).toEqual([])
  })
})

describe('a mail that leaves by SMTP', () => {
  let server: Awaited<ReturnType<typeof startMailServer>>
  let served: TestApi['deps']
  let visitors: Awaited<ReturnType<typeof createSignIn>>
  beforeAll(async () => {
    server = await startMailServer()
    const config = { ...api.config, smtpUrl: server.url }
    served = { ...api.deps, config, mail: openMailer(config) }
    visitors = await createSignIn({ ...api, deps: served })
  })
  afterAll(async () => {
    await visitors.close()
    await server.stop()
  })
  beforeEach(() => server.close('none'))
  const arrived = (email: string) => server.mails.filter((mail) => mail.includes(`To: ${email}`)).length
  const failures = () => api.lines.filter((line) => line.includes('a mail was not sent')).length

  it('is emptied once the server has accepted it', async () => {
    const email = newAddress()
    await visitors.browser().submit('/signup', { email, full_name: 'Ines' })
    await expect.poll(() => textsTo(email)).toEqual([''])
    expect(arrived(email)).toBe(1)
    expect(server.mails.at(-1)).toContain('/signup/')
    expect((await rowsTo(email))[0]).toMatchObject({ nextTryAt: null, sentAt: expect.any(Date) })
  })

  it('is sent again until the server accepts it, and then emptied', async () => {
    const email = newAddress()
    const before = failures()
    server.close('all')
    await visitors.browser().submit('/signup', { email, full_name: 'Ines' })
    await expect.poll(failures).toBe(before + 1)
    server.close('none')
    api.advance(299)
    await maintainMails(served)
    expect(arrived(email)).toBe(0)
    api.advance(1)
    server.close('all')
    await maintainMails(served)
    expect(failures()).toBe(before + 2)
    server.close('none')
    api.advance(300)
    await Promise.all([maintainMails(served), maintainMails(served)])
    expect([arrived(email), await textsTo(email)]).toEqual([1, ['']])
    const [, link = ''] = /(\/signup\/\S+)/.exec(server.mails.at(-1)?.replaceAll('=\n', '') ?? '') ?? []
    expect((await visitors.browser().submit(link, { password })).status).toBe(303)
    hours(1)
    await maintainMails(served)
    expect(arrived(email)).toBe(1)
  })

  it('is dropped and emptied after 24 hours', async () => {
    const email = newAddress()
    const before = failures()
    server.close('all')
    await visitors.browser().submit('/signup', { email, full_name: 'Ines' })
    await expect.poll(failures).toBe(before + 1)
    hours(24)
    server.close('none')
    await maintainMails(served)
    expect([arrived(email), await textsTo(email)]).toEqual([0, ['']])
    expect((await rowsTo(email))[0]).toMatchObject({ nextTryAt: null, sentAt: null })
  })

  it('is emptied by the job where a process ended before it could, or where the outbox was in use before', async () => {
    const email = newAddress()
    await host.browser().submit('/signup', { email, full_name: 'Ines' })
    expect((await textsTo(email))[0]).toContain('/signup/')
    // It is sent after the answer.
    await expect.poll(async () => (await rowsTo(email))[0]?.sentAt).toBeInstanceOf(Date)
    await maintainMails(served)
    expect(await textsTo(email)).toEqual([''])
  })
})

describe('mails to one recipient are limited', () => {
  const withheld = () => api.lines.filter((line) => line.includes('a mail was suppressed')).length

  it('for password resets, with the same answer, from any address', async () => {
    const email = newAddress()
    await host.signUp(email)
    hours(24)
    const before = [sentTo(email), withheld()] as const
    const pages = new Set<string>()
    for (let tries = 0; tries < 7; tries++) {
      const { status, text } = await host.browser(`10.3.0.${tries}`).submit('/forgot', { email })
      pages.add(`${status} ${text}`)
    }
    expect(pages.size).toBe(1)
    expect([sentTo(email) - before[0], withheld() - before[1]]).toEqual([5, 2])
    expect(api.lines.join('')).not.toContain(email)
    hours(1)
    for (let tries = 0; tries < 4; tries++) await host.browser().submit('/forgot', { email })
    expect(sentTo(email) - before[0]).toBe(8)
    hours(24)
    await host.browser().submit('/forgot', { email })
    expect(sentTo(email) - before[0]).toBe(9)
  })

  it('for sign-ups, in any spelling of the address, also with concurrent requests', async () => {
    const email = newAddress()
    const written = (tries: number) => (tries % 2 === 0 ? email.toUpperCase() : email.replace('@', `+${tries}@`))
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, tries) =>
        host.browser(`10.4.0.${tries}`).submit('/signup', { email: written(tries), full_name: 'Ines' }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await api.db.select().from(mails).where(eq(mails.recipient, email))).length).toBe(5)
    expect(api.sent.filter(({ to }) => to.replace(/\+\d+/, '') === email)).toHaveLength(5)
  })

  it('for invites, whose answer still contains the link', async () => {
    const email = newAddress()
    const made: number[] = []
    for (let round = 0; round < 7; round++) {
      const founder = await api.person()
      const { publicId: organizationId } = await api.organization(founder)
      const body = { emails: [newAddress(), email], base_role: 'viewer' as const }
      const answer = await api.call(createInvites, { organizationId }, { as: founder, body })
      made.push(answer.body.invites.filter(({ accept_url }) => accept_url.includes('/invites/')).length)
    }
    expect(made).toEqual([2, 2, 2, 2, 2, 2, 2])
    expect(sentTo(email)).toBe(5)
  })

  it('for access requests, and two concurrent ones to the same people do not wait for each other', async () => {
    const founder = await api.person()
    const { id, publicId: organizationId } = await api.organization(founder)
    const admin = await api.member(id, 'admin')
    const asking = await Promise.all(Array.from({ length: 7 }, () => api.member(id, 'viewer')))
    const body = { permission: 'project:update' as const }
    const answers = await Promise.all(asking.map((as) => api.call(createAccessRequest, { organizationId }, { as, body })))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => 201))
    expect([sentTo(founder.email), sentTo(admin.email)]).toEqual([5, 5])
  })

  it('but not for notices about the account', async () => {
    const email = newAddress()
    await host.signUp(email)
    for (let tries = 0; tries < 6; tries++) await host.browser().submit('/forgot', { email })
    expect(sentTo(email)).toBe(5)
    const [user] = await api.db.select().from(users).where(eq(users.email, email))
    const { token } = await api.session(user?.id ?? '')
    const body = { current_password: password, new_password: 'nine quiet herons wade' }
    expect((await api.call(changePassword, {}, { as: token, body })).status).toBe(204)
    // The links of earlier mails ended with the password.
    expect((await textsTo(email)).filter((text) => text.includes('/reset/'))).toEqual([])
    expect(api.sent.filter(({ to }) => to === email).at(-1)?.subject).toBe('Teasel: your password was changed')
  })
})

it('T-13: a reset for an unknown address writes as much as one for a known address, and sends nothing', async () => {
  const email = newAddress()
  const queries = async (to: string) => {
    const visitor = host.browser()
    await visitor.get('/forgot')
    const asked = vi.spyOn(Client.prototype, 'query')
    const { status } = await visitor.submit('/forgot', { email: to })
    const calls = asked.mock.calls as unknown as [string | { text: string }][]
    const texts = calls.map(([query]) => (typeof query === 'string' ? query : query.text))
    asked.mockRestore()
    expect(status).toBe(200)
    return texts.filter((text) => /^(insert|begin|commit)/.test(text)).map((text) => text.split(' ')[0])
  }
  await host.signUp(email)
  const recorded = () => api.db.$count(auditEntries, eq(auditEntries.action, 'user.password_reset_request'))
  const before = await recorded()
  const known = await queries(email)
  expect(known.filter((verb) => verb === 'insert').length).toBeGreaterThan(2)
  // The entry of the owner's audit log is written after the answer.
  await expect.poll(recorded, { timeout: within(5000) }).toBe(before + 1)
  const unknown = newAddress()
  expect(await queries(unknown)).toEqual(known)
  expect([await rowsTo(unknown), sentTo(unknown)]).toEqual([[], 0])
  // The link of an unsent mail is not valid, and the next sweep removes its row.
  await sweepSignIns(api.deps)
  expect(await api.db.select().from(registrations).where(eq(registrations.email, unknown))).toEqual([])
})

describe('used and expired records are deleted', () => {
  const count = async () => ({
    codes: (await api.db.select().from(signInCodes)).length,
    resets: (await api.db.select().from(passwordResets)).length,
    signUps: (await api.db.select().from(registrations)).length,
    steps: (await api.db.select().from(signInSteps)).length,
  })
  const none = { codes: 0, resets: 0, signUps: 0, steps: 0 }

  it('codes after a day, resets when they were used or after an hour, sign-ups after a day', async () => {
    hours(24 * 7)
    await sweepSignIns(api.deps)
    expect(await count()).toEqual(none)
    const email = newAddress()
    const visitor = await host.signUp(email)
    await host.browser().submit('/signup', { email: newAddress(), full_name: 'Ines' })
    visitor.cookies.delete('teasel_continue')
    const { challenge, verifier } = pkce()
    const codes = await Promise.all(
      [1, 2].map(async () => {
        const page = `/signin?${new URLSearchParams(authorizeQuery(challenge))}`
        const { location = '' } = await visitor.submit(page, { continue: 'yes', ...authorizeQuery(challenge) })
        return new URLSearchParams(new URL(location).hash.slice(1)).get('code') ?? ''
      }),
    )
    const redeem = (code = '') => api.call(createSession, {}, { body: { code, code_verifier: verifier } })
    expect((await redeem(codes[0])).status).toBe(201)
    await host.browser().submit('/forgot', { email })
    await sweepSignIns(api.deps)
    expect(await count()).toEqual({ codes: 2, resets: 1, signUps: 1, steps: 0 })
    hours(1)
    await sweepSignIns(api.deps)
    expect(await count()).toEqual({ codes: 2, resets: 0, signUps: 1, steps: 0 })
    // A used code that is sent within a day still ends the session that was created with it.
    expect((await redeem(codes[0])).error.code).toBe('code_used')
    hours(23)
    api.advance(60)
    await sweepSignIns(api.deps)
    expect(await count()).toEqual(none)
    expect((await redeem(codes[0])).error.code).toBe('unknown_code')
  })

  it('a reset as soon as it was used', async () => {
    const email = newAddress()
    await host.signUp(email)
    await host.browser().submit('/forgot', { email })
    await host.browser().submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
    await sweepSignIns(api.deps)
    expect(await count()).toMatchObject({ resets: 0 })
  })
})
