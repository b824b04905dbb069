import { and, eq, isNull } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { endOtherSessions } from '../../contract/accounts/account'
import { createSession, deleteCurrentSession } from '../../contract/accounts/sessions'
import { deleteSession, listSessions } from '../../contract/accounts/open-sessions'
import { createInvites } from '../../contract/accounts/invites'
import { self } from '../../contract/accounts/users'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { sessions, signInCodes, signIns, signInSteps, users } from '../../server/accounts/schema/people'
import { endSessions } from '../../server/accounts/sessions/end-sessions'
import { passwordsOf } from '../../server/core/passwords/passwords'
import { createToken } from '../../server/core/tokens/token'
import { cheapPasswords, createTestApi, type TestApi } from '../support/api'
import { foreignNames, foreignOrigins } from '../support/origins'
import { untilOneWaits } from '../support/locks'
import { authorizeQuery, createSignIn, password, pkce } from '../support/sign-in'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
beforeAll(async () => {
  api = await createTestApi({}, cheapPasswords)
  host = await createSignIn(api)
  await host.signUp('ines@example.com')
})
afterAll(async () => {
  await host.close()
  await api.close()
})

const codeOf = (location = '') => new URLSearchParams(new URL(location).hash.slice(1)).get('code') ?? ''

const handOver = async () => {
  const { verifier, challenge } = pkce()
  const visitor = host.browser()
  const query = new URLSearchParams(authorizeQuery(challenge))
  const sent = await visitor.submit(`/signin?${query}`, { email: 'ines@example.com', password, ...authorizeQuery(challenge) })
  return { verifier, visitor, code: codeOf(sent.location), location: sent.location }
}

describe('the course of a session', () => {
  it('leads from the form through a code in the fragment to a token', async () => {
    const { verifier, code, location } = await handOver()
    expect(location).toMatch(/^http:\/\/localhost:5173\/#code=[\w-]{43}&state=state-of-this-very-test$/)
    const made = await api.call(createSession, {}, { body: { code, code_verifier: verifier } })
    expect([made.status, made.body.idle_timeout_s]).toEqual([201, 43_200])
    expect(made.body.session_token).toMatch(/^ses_[0-9A-Za-z]{49}$/)
    expect((await api.call(self, {}, { as: made.body.session_token })).body.data.email).toBe('ines@example.com')
  })

  it('refuses a wrong verifier', async () => {
    const { code } = await handOver()
    const stolen = await api.call(createSession, {}, { body: { code, code_verifier: pkce().verifier } })
    expect([stolen.status, stolen.error.code]).toEqual([400, 'bad_verifier'])
  })

  it('refuses a code that was used before, and ends the session it gave', async () => {
    const { code, verifier } = await handOver()
    const body = { code, code_verifier: verifier }
    const { session_token } = (await api.call(createSession, {}, { body })).body
    const again = await api.call(createSession, {}, { body })
    expect([again.status, again.error.code]).toEqual([400, 'code_used'])
    expect((await api.call(self, {}, { as: session_token })).status).toBe(401)
  })

  it('refuses a used code to more requests at once than there are connections, none of which waits for another one', async () => {
    const { code, verifier } = await handOver()
    const body = { code, code_verifier: verifier }
    const { session_token } = (await api.call(createSession, {}, { body })).body
    const all = await Promise.all(Array.from({ length: 12 }, () => api.call(createSession, {}, { body })))
    expect(all.map(({ error }) => error.code)).toEqual(all.map(() => 'code_used'))
    expect((await api.call(self, {}, { as: session_token })).status).toBe(401)
  })

  it('refuses a code that is a minute old', async () => {
    const { code, verifier } = await handOver()
    api.advance(60)
    const late = await api.call(createSession, {}, { body: { code, code_verifier: verifier } })
    expect([late.status, late.error.code]).toEqual([400, 'code_expired'])
  })

  it('gives one session for one code, also with concurrent requests', async () => {
    const { code, verifier } = await handOver()
    const body = { code, code_verifier: verifier }
    const all = await Promise.all(Array.from({ length: 8 }, () => api.call(createSession, {}, { body })))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it('asks before it continues with the account of the cookie, and ends the cookie with the session', async () => {
    const { visitor, code, verifier } = await handOver()
    const { challenge } = pkce()
    const page = `/signin?${new URLSearchParams(authorizeQuery(challenge))}`
    expect((await visitor.get(page)).text).toContain('Continue as Ines Quist')
    const on = await visitor.submit(page, { continue: 'yes', ...authorizeQuery(challenge) })
    expect(on.location).toMatch(/^http:\/\/localhost:5173\/#code=/)
    const made = await api.call(createSession, {}, { body: { code, code_verifier: verifier } })
    await api.call(deleteCurrentSession, {}, { as: made.body.session_token })
    expect((await visitor.get(page)).text).toContain('Forgot password?')
  })
})

describe('the console opens without a second question', () => {
  const page = () => `/signin?${new URLSearchParams(authorizeQuery(pkce().challenge))}`
  const isIn = ({ status, location = '' }: { status: number; location: string | undefined }) =>
    status === 303 && codeOf(location) !== ''
  const asks = async (visitor: ReturnType<typeof host.browser>, headers = {}) =>
    (await visitor.get(page(), headers)).text.includes('Continue as Ines Quist')
  /** Without a request of the console: the address of the sign-in host was typed, or a password was reset. */
  const signedIn = async () => {
    const visitor = host.browser()
    await visitor.submit('/signin', { email: 'ines@example.com', password })
    return visitor
  }

  it('once after signing up, also with a request of a console in another tab', async () => {
    const visitor = host.browser()
    const asked = authorizeQuery(pkce().challenge)
    const query = new URLSearchParams(asked)
    await visitor.submit(`/signup?${query}`, { email: 'tabs@example.com', full_name: 'Ines Quist', ...asked })
    const sent = await visitor.submit(host.linkTo('tabs@example.com', '/signup/'), { password, ...asked })
    expect(isIn(sent)).toBe(true)
    expect(isIn(await visitor.get(page()))).toBe(true)
    expect(await asks(visitor)).toBe(true)
  })

  it('once after a reset and the new password', async () => {
    const email = 'afresh@example.com'
    await host.signUp(email)
    const visitor = host.browser()
    await visitor.submit('/forgot', { email })
    await visitor.submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
    await visitor.submit('/signin', { email, password: 'another lattice entirely' })
    expect(isIn(await visitor.get(page()))).toBe(true)
    expect(await asks(visitor)).toBe(true)
  })

  it('within a minute', async () => {
    const [early, late] = [await signedIn(), await signedIn()]
    api.advance(59)
    expect(isIn(await early.get(page()))).toBe(true)
    api.advance(1)
    expect(await asks(late)).toBe(true)
  })

  it('with the sign-in that allowed it only', async () => {
    const [visitor, other] = [await signedIn(), await signedIn()]
    visitor.cookies.set('teasel_continue', other.cookies.get('teasel_continue') ?? '')
    expect(await asks(visitor)).toBe(true)
    await other.submit('/signin', {}, '/signout')
    expect((await other.get(page())).text).toContain('Forgot password?')
  })

  it('not in a frame, and not if the sign-in has answered the console at once', async () => {
    const framed = await signedIn()
    expect(await asks(framed, { 'sec-fetch-dest': 'iframe' })).toBe(true)
    expect(await asks((await handOver()).visitor)).toBe(true)
  })
})

describe('a code gives no session once its sign-in has ended', () => {
  const redeemed = async ({ code, verifier }: { code: string; verifier: string }) => {
    const { status, error } = await api.call(createSession, {}, { body: { code, code_verifier: verifier } })
    return [status, status === 201 ? undefined : error.code]
  }
  const signedUp = async (email: string) => {
    const { verifier, challenge } = pkce()
    const visitor = await host.signUp(email)
    const page = `/signin?${new URLSearchParams(authorizeQuery(challenge))}`
    const { location } = await visitor.get(page)
    return { visitor, verifier, code: codeOf(location) }
  }
  const user = async (email: string) => (await api.db.select().from(users).where(eq(users.email, email)))[0]?.id ?? ''

  it('by signing out at the sign-in host', async () => {
    const one = await signedUp('codes1@example.com')
    await one.visitor.submit('/signin', {}, '/signout')
    expect(await redeemed(one)).toEqual([400, 'unknown_code'])
  })
  it('by a new password', async () => {
    const email = 'codes2@example.com'
    const one = await signedUp(email)
    await host.browser().submit('/forgot', { email })
    await host.browser().submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
    expect(await redeemed(one)).toEqual([400, 'unknown_code'])
  })
  it('by ending all other sessions in the console', async () => {
    const one = await signedUp('codes3@example.com')
    const { token } = await api.session(await user('codes3@example.com'))
    await api.call(endOtherSessions, {}, { as: token })
    expect(await redeemed(one)).toEqual([400, 'unknown_code'])
  })
  it('also while the code itself still exists', async () => {
    const one = await signedUp('codes4@example.com')
    await api.db
      .update(signIns)
      .set({ endedAt: new Date() })
      .where(eq(signIns.userId, await user('codes4@example.com')))
    expect(await redeemed(one)).toEqual([400, 'sign_in_ended'])
  })
  it('while the exchange waits for it, without a deadlock', async () => {
    const email = 'codes6@example.com'
    const one = await signedUp(email)
    const userId = await user(email)
    const exchange = await api.db.transaction(async (tx) => {
      await tx.select().from(signIns).where(eq(signIns.userId, userId)).for('update')
      const begun = redeemed(one)
      await untilOneWaits(api.db)
      const free = await tx.select().from(signInCodes).where(eq(signInCodes.userId, userId)).for('update', { noWait: true })
      expect(free.length).toBe(1)
      await endSessions(tx, userId, new Date())
      return { begun }
    })
    expect(await exchange.begun).toEqual([400, 'unknown_code'])
  })
  it('and a concurrent reset and code exchange leave no session', async () => {
    for (let round = 0; round < 4; round++) {
      const email = `codes5${round}@example.com`
      const one = await signedUp(email)
      await host.browser().submit('/forgot', { email })
      const link = host.linkTo(email, '/reset/')
      const reset = host.browser().submit(link, { password: 'another lattice entirely' })
      const [done] = await Promise.all([reset, redeemed(one)])
      expect([done.status, done.location]).toEqual([303, '/signin?told=reset'])
      const open = await api.db
        .select()
        .from(sessions)
        .where(and(eq(sessions.userId, await user(email)), isNull(sessions.endedAt)))
      expect(open).toEqual([])
    }
  })
})

it('signing in again in the same browser ends the previous sign-in', async () => {
  const email = 'again@example.com'
  const visitor = await host.signUp(email)
  const former = new Map(visitor.cookies)
  const page = (await visitor.get('/signin')).text
  const csrf = /name="csrf" value="([^"]+)"/.exec(page)?.[1] ?? ''
  expect((await visitor.post('/signin', { csrf, email, password })).status).toBe(303)
  expect((await visitor.get('/signin')).text).toContain('Continue as')
  for (const [name, value] of former) visitor.cookies.set(name, value)
  expect((await visitor.get('/signin')).text).toContain('Forgot password?')
})

describe('T-10: a session ends by the server’s clock', () => {
  const opened = async () => (await api.person()).token
  it('exactly after its idle limit', async () => {
    const token = await opened()
    api.advance(43_199)
    expect((await api.call(self, {}, { as: token })).status).toBe(200)
    api.advance(43_200)
    expect((await api.call(self, {}, { as: token })).status).toBe(401)
  })
  it('after its absolute limit, also when in use', async () => {
    const token = await opened()
    for (let half = 0; half < 28; half++) {
      api.advance(43_199)
      expect((await api.call(self, {}, { as: token })).status).toBe(200)
    }
    api.advance(1_209_599 - 28 * 43_199)
    expect((await api.call(self, {}, { as: token })).status).toBe(200)
    api.advance(1)
    expect((await api.call(self, {}, { as: token })).status).toBe(401)
  })
  it.each(['', 'ses_', `ses_${'0'.repeat(49)}`, 'null', '../../x', `pat_${'a'.repeat(49)}`])(
    'and is never started by an invented token: %s',
    async (token) => {
      expect((await api.call(self, {}, { headers: { 'x-session-token': token } })).status).toBe(401)
    },
  )
})

describe('T-10: cookies set before a sign-in open nothing after it', () => {
  const email = 'fixed@example.com'
  const name = 'teasel_sign_in'
  const cookieOf = ({ cookies }: { cookies: Map<string, string> }) => cookies.get(name) ?? ''
  const shows = async (cookie: string) => {
    const visitor = host.browser()
    visitor.cookies.set(name, cookie)
    return (await visitor.get('/signin')).text
  }
  const signIn = async (visitor: ReturnType<typeof host.browser>) => {
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    expect((await visitor.post('/signin', { csrf, email, password })).status).toBe(303)
    return cookieOf(visitor)
  }
  beforeAll(async () => void (await host.signUp(email)))

  it('neither an invented cookie nor one of another user becomes the sign-in', async () => {
    const attacker = cookieOf(await host.signUp('attacker@example.com', 'Mallory'))
    for (const preset of ['a'.repeat(43), attacker]) {
      const victim = host.browser()
      victim.cookies.set(name, preset)
      const issued = await signIn(victim)
      expect(issued).toMatch(/^[\w-]{43}$/)
      expect(issued).not.toBe(preset)
      expect(await shows(issued)).toContain('Continue as Ines Quist')
      expect(await shows(preset)).not.toContain('Ines Quist')
    }
  })

  it('each code gives a new session token, regardless of what the browser sends with it', async () => {
    const preset = createToken('ses')
    const issued = new Set<string>()
    for (let n = 0; n < 3; n++) {
      const { code, verifier } = await handOver()
      const sent = { body: { code, code_verifier: verifier }, headers: { 'x-session-token': [...issued].at(-1) ?? preset } }
      const { status, body } = await api.call(createSession, {}, sent)
      expect(status).toBe(201)
      issued.add(body.session_token)
    }
    expect([issued.size, issued.has(preset)]).toEqual([3, false])
    expect((await api.call(self, {}, { as: preset })).status).toBe(401)
  })

  it('every sign-in has its own cookie, which ends exactly at its absolute limit', async () => {
    const visitor = host.browser()
    const cookies = [await signIn(visitor), await signIn(visitor)]
    expect(new Set(cookies).size).toBe(2)
    api.advance(1_209_599)
    expect(await shows(cookies[1] ?? '')).toContain('Continue as')
    api.advance(1)
    expect(await shows(cookies[1] ?? '')).not.toContain('Continue as')
    api.advance(1)
    expect(await shows(cookies[1] ?? '')).not.toContain('Continue as')
  })
})

describe('T-11: an ended session is refused', () => {
  it('from the first call after signing out', async () => {
    const ines = await api.person()
    const race = await Promise.all(Array.from({ length: 20 }, () => api.call(self, {}, { as: ines })))
    expect(new Set(race.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await api.call(deleteCurrentSession, {}, { as: ines })).status).toBe(204)
    const after = await Promise.all(Array.from({ length: 20 }, () => api.call(self, {}, { as: ines })))
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([401]))
    expect((await api.call(deleteCurrentSession, {}, { as: ines })).status).toBe(204)
  })
  it('for one session among several', async () => {
    const ines = await api.person()
    const phone = await api.session(ines.id)
    const listed = (await api.call(listSessions, {}, { as: ines })).body.sessions
    expect(new Map(listed.map(({ id, current }) => [id, current]))).toEqual(
      new Map([
        [ines.sessionId, true],
        [phone.sessionId, false],
      ]),
    )
    await api.call(deleteSession, { sessionId: phone.sessionId }, { as: ines })
    expect((await api.call(self, {}, { as: phone.token })).status).toBe(401)
    expect((await api.call(self, {}, { as: ines })).status).toBe(200)
  })
  it('for all of them when the password was changed', async () => {
    const email = 'changer@example.com'
    const visitor = await host.signUp(email)
    const [user] = await api.db.select().from(users).where(eq(users.email, email))
    const { token } = await api.session(user?.id ?? '')
    await host.browser().submit('/forgot', { email })
    const link = host.linkTo(email, '/reset/')
    const reset = await host.browser().submit(link, { password: 'another lattice entirely' })
    expect([reset.status, reset.location]).toEqual([303, '/signin?told=reset'])
    await expect
      .poll(() => api.sent.filter(({ to }) => to === email).at(-1))
      .toMatchObject({
        subject: 'Teasel: your password was changed',
        text: expect.stringContaining('with a link that was mailed to you'),
      })
    expect((await api.call(self, {}, { as: token })).status).toBe(401)
    expect((await visitor.get('/signin')).text).toContain('Forgot password?')
    expect((await host.browser().get(link)).status).toBe(404)
    const old = await host.browser('10.0.0.1').submit('/signin', { email, password })
    const fresh = await host.browser('10.0.0.2').submit('/signin', { email, password: 'another lattice entirely' })
    expect([old.status, fresh.status]).toEqual([401, 303])
  })
  it.each(['alone', 'before a second step'])('also for a sign-in whose old password was being verified, %s', async (way) => {
    const email = `verified-${way.replaceAll(' ', '-')}@example.com`
    await host.signUp(email)
    const mfaEnabled = way !== 'alone'
    const [user] = await api.db.update(users).set({ mfaEnabled }).where(eq(users.email, email)).returning()
    await host.browser().submit('/forgot', { email })
    const passwords = passwordsOf(api.config)
    const { matches } = passwords
    const slow = vi.spyOn(passwords, 'matches').mockImplementationOnce(async (...given) => {
      const isRight = await matches(...given)
      await host.browser('10.0.0.1').submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
      return isRight
    })
    const late = await host.browser('10.0.0.2').submit('/signin', { email, password })
    expect([await slow.mock.results[0]?.value, late.status]).toEqual([true, 401])
    slow.mockRestore()
    const open = and(eq(signIns.userId, user?.id ?? ''), isNull(signIns.endedAt))
    expect(await api.db.$count(signIns, open)).toBe(0)
    expect(await api.db.$count(signInSteps, eq(signInSteps.userId, user?.id ?? ''))).toBe(0)
  })
})

describe('T-08: sign-in redirects only to the console', () => {
  const { challenge } = pkce()
  const vectors = [
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    'http://localhost:5173',
    'http://localhost:5173//',
    'http://localhost:5173/x',
    'http://localhost:5173/#',
    'http://localhost:5173/?',
    'http://localhost:51730/',
    'http://localhost:5173@evil.example/',
    'http://evil.example/http://localhost:5173/',
    'http://localhost.evil.example:5173/',
    'HTTP://LOCALHOST:5173/',
    'http://localhost:5173/%0d%0aSet-Cookie:x=1',
    'http://localhost:5173/\r\nx',
    'http://localhost:5173/\t',
    ' http://localhost:5173/',
    'http://localhost：5173/',
    'http://localhost／:5173/',
    'javascript:alert(1)',
    'data:text/html,x',
    'http:localhost:5173/',
    'https://localhost:5173/',
    'http%3A%2F%2Flocalhost:5173%2F',
    '',
  ]
  it.each(vectors)('%j', async (redirect) => {
    const asked = authorizeQuery(challenge, redirect)
    const shown = await host.browser().get(`/signin?${new URLSearchParams(asked)}`)
    expect([shown.status, shown.location]).toEqual([400, undefined])
    const sent = await host.browser().submit('/signin', { email: 'ines@example.com', password, ...asked })
    expect([sent.status, sent.location]).toEqual([400, undefined])
  })
})

describe('the password of a new account', () => {
  const email = 'owner@example.com'
  it('is chosen behind the mailed link: a password sent with the sign-up form opens nothing', async () => {
    const attacker = host.browser('10.2.0.1')
    await attacker.submit('/signup', { email, full_name: 'Mallory', password: 'chosen by somebody else' })
    const link = host.linkTo(email, '/signup/')
    const visitor = host.browser('10.2.0.2')
    expect((await visitor.submit(link, {})).text).toContain('Password must be at least 12 characters')
    const confirmed = await visitor.submit(link, { password })
    expect(confirmed.status).toBe(303)
    const tried = await attacker.submit('/signin', { email, password: 'chosen by somebody else' })
    expect(tried.status).toBe(401)
    expect((await host.browser('10.2.0.3').submit('/signin', { email, password })).status).toBe(303)
  })
  it('is refused by its rules, and the link is valid for one account', async () => {
    const address = 'twice@example.com'
    await host.browser().submit('/signup', { email: address, full_name: 'Ines' })
    const first = host.linkTo(address, '/signup/')
    await host.browser().submit('/signup', { email: address, full_name: 'Ines' })
    const second = host.linkTo(address, '/signup/')
    expect(second).not.toBe(first)
    const short = await host.browser().submit(second, { password: 'short' })
    expect([short.status, short.text.includes('twice@example.com')]).toEqual([422, true])
    expect((await host.browser().submit(second, { password })).status).toBe(303)
    expect((await host.browser().get(second)).status).toBe(404)
    expect((await host.browser().get(first)).status).toBe(404)
  })
})

it('a common password is refused at sign-up and at a reset, with the reason', async () => {
  const email = 'common@example.com'
  const told = 'This password is on a list of common passwords. Choose another.'
  await host.browser('10.3.0.1').submit('/signup', { email, full_name: 'Rosa Field' })
  const confirm = host.linkTo(email, '/signup/')
  const visitor = host.browser('10.3.0.1')
  for (const common of ['1qaz2wsx3edc', 'QWERTY123456']) {
    const refused = await visitor.submit(confirm, { password: common })
    expect([refused.status, refused.text.includes(told)], common).toEqual([422, true])
  }
  expect((await visitor.submit(confirm, { password: 'rosafield1234' })).text).toContain('consists of your name or address')
  expect((await visitor.submit(confirm, { password })).status).toBe(303)
  await host.browser('10.3.0.2').submit('/forgot', { email })
  const reset = host.linkTo(email, '/reset/')
  const refused = await host.browser('10.3.0.2').submit(reset, { password: 'qazwsxedcrfv' })
  expect([refused.status, refused.text.includes(told)]).toEqual([422, true])
  expect((await host.browser('10.3.0.3').submit('/signin', { email, password })).status).toBe(303)
})

describe('T-13: answers do not reveal who has an account', () => {
  const plain = (text: string) => text.replace(/value="[\w-]{43}"/g, '').replace(/[\w.]+@example\.com/g, '')
  it('when signing in', async () => {
    const known = await host.browser('10.1.0.1').submit('/signin', { email: 'ines@example.com', password: 'not the password' })
    const unknown = await host
      .browser('10.1.0.2')
      .submit('/signin', { email: 'nobody@example.com', password: 'not the password' })
    expect([known.status, plain(known.text)]).toEqual([unknown.status, plain(unknown.text)])
    expect(known.text).toContain('E-mail or password is wrong.')
  })
  it('when signing up or asking for a reset', async () => {
    const form = { full_name: 'A' }
    for (const page of ['/signup', '/forgot']) {
      const known = await host.browser().submit(page, { email: 'ines@example.com', ...form })
      const unknown = await host.browser().submit(page, { email: 'somebody@example.com', ...form })
      expect([known.status, plain(known.text)]).toEqual([unknown.status, plain(unknown.text)])
      expect(known.text).toContain('Check your mail')
    }
    expect(api.sent.filter(({ to }) => to === 'ines@example.com').at(-2)?.subject).toBe('You have a Teasel account')
  })
  describe('not by a difference of answers or headers', () => {
    type Answer = { status: number; text: string; headers: Record<string, unknown> }
    const secrets = /[\w-]{43}|[0-9A-HJKMNP-TV-Z]{26}/g
    const shape = ({ status, text, headers }: Answer) => {
      const { date: _, 'x-request-id': id, ...told } = headers
      expect(id).toMatch(/^[\w-]{8,64}$/)
      return JSON.stringify({ status, text, told })
        .replace(secrets, '…')
        .replaceAll(/ines@|ivan@/g, 'person@')
    }
    // Of the same length, so that Content-Length is comparable.
    const [known, unknown] = ['ines@example.com', 'ivan@example.com']
    const both = async (ask: (email: string) => Promise<Answer>) => {
      const first = shape(await ask(known))
      expect(shape(await ask(unknown))).toBe(first)
      expect(first).toContain('content-length')
      return first
    }
    const form = (page: string, fields: Record<string, string>) => (email: string) =>
      host.browser(email === known ? '10.6.0.1' : '10.6.0.2').submit(page, { email, ...fields })

    it('of a sign-in', async () => {
      expect(await both(form('/signin', { password: 'not the password' }))).toContain('E-mail or password is wrong.')
    })
    it('of a password reset', async () => {
      expect(await both(form('/forgot', {}))).toContain('Check your mail')
    })
    it('of a sign-up', async () => {
      expect(await both(form('/signup', { full_name: 'Ines' }))).toContain('Check your mail')
    })
    it('of an invite, to the inviter and to a visitor with the link', async () => {
      const founder = await api.person()
      const { publicId: organizationId } = await api.organization(founder)
      const links: string[] = []
      const invited = await both(async (email) => {
        const answer = await api.call(
          createInvites,
          { organizationId },
          { as: founder, body: { emails: [email], base_role: 'viewer' } },
        )
        links.push(new URL(answer.body.invites[0]?.accept_url ?? '').pathname)
        const { 'ratelimit-remaining': _, ...headers } = answer.headers
        return { ...answer, headers }
      })
      expect(invited).toContain('"status":201')
      expect(await both((email) => host.browser().get(links[email === known ? 0 : 1] ?? ''))).toContain('Sign up')
    })
  })
  it('but a failure is in the activity of the account concerned', async () => {
    const [user] = await api.db.select().from(users).where(eq(users.email, 'ines@example.com'))
    const rows = await api.db
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.chainId, user?.id ?? ''))
    expect(rows.filter(({ action, result }) => action === 'session.fail' && result === 'failure').length).toBeGreaterThan(0)
  })
})

describe('T-14: a form from another origin changes nothing', () => {
  const signInsNow = async () => (await api.db.select().from(signIns)).length
  const form = { email: 'ines@example.com', password }
  it('without a token', async () => {
    const visitor = host.browser()
    await visitor.get('/signin')
    const before = await signInsNow()
    expect((await visitor.post('/signin', form)).status).toBe(403)
    expect(await signInsNow()).toBe(before)
  })
  const posts = [
    '/signin',
    '/signin/code',
    '/signout',
    '/signup',
    `/signup/${'x'.repeat(43)}`,
    '/forgot',
    `/reset/${'x'.repeat(43)}`,
    `/email/${'x'.repeat(43)}`,
    `/invites/${'x'.repeat(43)}`,
    '/billing',
  ]
  it('from 40 other origins and more, with a token that is right, on every form', async () => {
    const origins = foreignOrigins('http://localhost:3000')
    expect(new Set(origins).size).toBeGreaterThanOrEqual(40)
    // The token of an unsubscribe link is its proof: services of mail post it from their own origin (RFC 8058).
    expect(host.app.printRoutes().match(/POST/g)).toHaveLength(posts.length + 1)
    const visitor = host.browser()
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    const [before, mails] = [await signInsNow(), api.sent.length]
    const fields = { ...form, csrf, full_name: 'Ines', answer: 'accept', code: '123456' }
    for (const post of posts) {
      for (const origin of origins) {
        const { status, headers } = await visitor.post(post, fields, { origin })
        expect([post, origin, status, headers['access-control-allow-origin']]).toEqual([post, origin, 403, undefined])
      }
      for (const site of ['cross-site', 'same-site', 'none'])
        expect([post, site, (await visitor.post(post, fields, { 'sec-fetch-site': site })).status]).toEqual([post, site, 403])
    }
    expect([await signInsNow(), api.sent.length]).toEqual([before, mails])
    // The token was valid all the time.
    expect((await visitor.post('/signin', fields, { origin: 'http://localhost:3000' })).status).toBe(303)
  })
  it('from the same host by another scheme, with a token that is right: the scheme of the Origin is compared', async () => {
    const visitor = host.browser()
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    expect((await visitor.post('/signin', { ...form, csrf }, { origin: 'https://localhost:3000' })).status).toBe(403)
    expect((await visitor.post('/signin', { ...form, csrf }, { origin: 'http://localhost:3000' })).status).toBe(303)
  })
  it('by another content type than that of a form', async () => {
    const visitor = host.browser()
    await visitor.get('/signin')
    for (const post of posts)
      for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/json'])
        expect([post, type, (await visitor.post(post, form, { 'content-type': type })).status]).toEqual([post, type, 400])
  })
  it('to a host by another name', async () => {
    for (const name of ['', ...foreignNames('localhost:3000')])
      for (const post of posts)
        expect([name, post, (await host.browser().post(post, form, { host: name })).status]).toEqual([name, post, 421])
  })
  it('with the token of another browser', async () => {
    const csrf = /name="csrf" value="([^"]+)"/.exec((await host.browser().get('/signin')).text)?.[1] ?? ''
    const visitor = host.browser()
    await visitor.get('/signin')
    expect((await visitor.post('/signin', { ...form, csrf })).status).toBe(403)
  })
  it('pages carry the restrictive content security policy', async () => {
    for (const page of ['/signin', '/signup', '/forgot', '/reset/x', '/nowhere']) {
      const { headers, text } = await host.browser().get(page)
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(headers['content-security-policy']).toContain("form-action 'self' http://localhost:5173")
      expect(headers['referrer-policy']).toBe('same-origin')
      expect(text).not.toMatch(/<script(?! src="\/sign-in)|<style|\son\w+=|style="/)
    }
  })
})

it.each([
  ['/signup', { full_name: 'Ines', email: 'nowhere' }, ['email']],
  ['/signup', {}, ['full_name']],
  ['/signin', { email: 'ines@example.com', password: '' }, ['password']],
  ['/forgot', { email: 'nowhere' }, ['email']],
])('a form of %s that was sent with %j begins at its first wrong field', async (page, form, focused) => {
  const { status, text } = await host.browser().submit(page, form)
  expect(status).toBe(422)
  const inputs = text.match(/<input[^>]*\bautofocus\b[^>]*>/g) ?? []
  expect(inputs.map((input) => /name="([^"]+)"/.exec(input)?.[1])).toEqual(focused)
})

it('T-03: text that people entered is escaped in the pages', async () => {
  const email = 'xss@example.com'
  const visitor = await host.signUp(email, '"><script>alert(1)</script>')
  const { text } = await visitor.get('/signin')
  expect(text).toContain('Continue as &quot;&gt;&lt;script&gt;')
  expect(text).not.toContain('<script>alert')
})

it('T-09: the log contains no passwords, codes, tokens or links', async () => {
  const { code, verifier } = await handOver()
  const made = await api.call(createSession, {}, { body: { code, code_verifier: verifier } })
  const log = api.lines.join('')
  for (const secret of [password, code, verifier, made.body.session_token, host.linkTo('ines@example.com', '/signup/')]) {
    expect(secret.length).toBeGreaterThan(8)
    expect(log).not.toContain(secret)
  }
  expect(await api.db.select().from(sessions).where(eq(sessions.tokenHash, made.body.session_token))).toEqual([])
})
