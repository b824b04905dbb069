import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import * as account from '../../contract/accounts/account'
import { accountActions, accountEvents } from '../../contract/accounts/account-activity'
import { changeNotificationSetting } from '../../contract/accounts/notifications'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { createSession, deleteCurrentSession } from '../../contract/accounts/sessions'
import { deleteSession } from '../../contract/accounts/open-sessions'
import { createTag } from '../../contract/fleet/tags'
import { saveProfile } from '../../contract/accounts/profile'
import { self, updateSelf } from '../../contract/accounts/users'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { avatars, secondFactors } from '../../server/accounts/schema/people'
import { passwordsOf } from '../../server/core/passwords/passwords'
import { pictureType } from '../../server/accounts/users/picture'
import { appCode, givePassword } from '../support/account'
import { cheapPasswords, createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { png, segment, small } from '../support/pictures'
import { authorizeQuery, createSignIn, password, pkce } from '../support/sign-in'
import { within } from '../support/machine-load'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
let ines: Person
beforeAll(async () => {
  api = await createTestApi({}, cheapPasswords)
  host = await createSignIn(api)
})
afterAll(async () => {
  await host.close()
  await api.close()
})
beforeEach(async () => {
  ines = await api.person()
})

const actions = async () => {
  const rows = await api.db.select().from(auditEntries).where(eq(auditEntries.chainId, ines.id)).orderBy(auditEntries.sequence)
  return rows.map(({ action }) => action)
}
const mailsTo = ({ email }: Person) => api.sent.filter(({ to }) => to === email).map(({ subject }) => subject)
const details = ({ error }: { error: { details: { field: string; code: string }[] } }) =>
  error.details.map(({ field, code }) => `${field}: ${code}`)

/** Turns two-step sign-in on; returns its secret and recovery codes. */
const turnOn = async () => {
  const current_password = await givePassword(api, ines)
  const { secret } = (await api.call(account.beginSecondFactor, {}, { as: ines, body: { current_password } })).body
  const confirmed = await api.call(account.confirmSecondFactor, {}, { as: ines, body: { code: appCode(api, secret) } })
  // The next code of the app: the code of this time step is used up.
  api.advance(30)
  return { secret, codes: confirmed.body.recovery_codes, current_password }
}

describe('the password', () => {
  const fresh = 'nine quiet herons wade'
  const change = (body: { current_password: string; new_password: string }, from?: string) =>
    api.call(account.changePassword, {}, { as: ines, body, ...(from !== undefined && { from }) })

  it('is changed with the current password; all other sessions end, and a mail is sent', async () => {
    await givePassword(api, ines)
    const phone = await api.session(ines.id)
    expect((await change({ current_password: password, new_password: fresh })).status).toBe(204)
    expect((await api.call(self, {}, { as: ines })).status).toBe(200)
    expect((await api.call(self, {}, { as: phone })).status).toBe(401)
    expect([await actions(), mailsTo(ines)]).toEqual([['user.password_change'], ['Teasel: your password was changed']])
    const { email } = ines
    expect((await host.browser('10.2.0.1').submit('/signin', { email, password })).status).toBe(401)
    expect((await host.browser('10.2.0.2').submit('/signin', { email, password: fresh })).status).toBe(303)
  })
  it.each([
    ['a wrong one', { current_password: 'not the password', new_password: fresh }, ['current_password: wrong']],
    ['none', { current_password: '', new_password: fresh }, ['current_password: required']],
    ['a short new one', { current_password: password, new_password: 'short' }, ['new_password: too_short']],
    ['a long new one', { current_password: password, new_password: 'ab '.repeat(60) }, ['new_password: too_long']],
    ['a common new one', { current_password: password, new_password: 'password1234' }, ['new_password: weak']],
    ['one of the list', { current_password: password, new_password: '1qaz2wsx3edc' }, ['new_password: weak']],
    ['the same again', { current_password: password, new_password: password }, ['new_password: same']],
  ])('stays with %s', async (_, body, said) => {
    await givePassword(api, ines)
    const answer = await change(body)
    // A wrong password is an event of the account; an invalid field is not.
    const events = said.includes('current_password: wrong') ? ['session.fail'] : []
    expect([answer.status, details(answer), await actions(), mailsTo(ines)]).toEqual([422, said, events, []])
  })
  it('T-12: can be guessed at most five times, in the console and at the sign-in host together', async () => {
    await givePassword(api, ines)
    const wrong = { current_password: 'not the password', new_password: fresh }
    const statuses: number[] = []
    for (let n = 0; n < 4; n++) statuses.push((await change(wrong, '10.3.0.1')).status)
    const visitor = host.browser('10.3.0.1')
    statuses.push((await visitor.submit('/signin', { email: ines.email, password: 'not the password' })).status)
    statuses.push((await change({ ...wrong, current_password: password }, '10.3.0.1')).status)
    expect(statuses).toEqual([422, 422, 422, 422, 401, 429])
  })
  it('T-11: a change that was still being hashed does not undo a reset', async () => {
    await givePassword(api, ines)
    const { email } = ines
    await host.browser().submit('/forgot', { email })
    const passwords = passwordsOf(api.config)
    const { hash } = passwords
    const slow = vi.spyOn(passwords, 'hash').mockImplementationOnce(async (chosen) => {
      const hashed = await hash(chosen)
      const reset = await host.browser().submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
      expect(reset.status).toBe(303)
      return hashed
    })
    const late = await change({ current_password: password, new_password: fresh })
    slow.mockRestore()
    expect([late.status, details(late)]).toEqual([422, ['current_password: wrong']])
    expect((await host.browser('10.2.0.3').submit('/signin', { email, password: fresh })).status).toBe(401)
    expect((await host.browser('10.2.0.4').submit('/signin', { email, password: 'another lattice entirely' })).status).toBe(303)
  })
  it('its change ends a sign-in that waits for the second step', async () => {
    const { current_password } = await turnOn()
    const visitor = host.browser()
    await visitor.submit('/signin', { email: ines.email, password })
    expect((await visitor.get('/signin/code')).status).toBe(200)
    expect((await change({ current_password, new_password: fresh })).status).toBe(204)
    expect((await visitor.get('/signin/code')).location).toBe('/signin?told=late')
  })
})

it('all other sessions end at once, with the sign-ins that could create new ones', async () => {
  const visitor = await host.signUp('sessions@example.com')
  const [first, second] = [await api.session(ines.id), await api.session(ines.id)]
  expect((await api.call(account.endOtherSessions, {}, { as: ines })).body).toEqual({ ended: 2 })
  for (const ended of [first, second]) expect((await api.call(self, {}, { as: ended })).status).toBe(401)
  expect((await api.call(self, {}, { as: ines })).status).toBe(200)
  expect((await api.call(account.endOtherSessions, {}, { as: ines })).body).toEqual({ ended: 0 })
  expect(await actions()).toEqual(['session.delete'])
  // A session of someone else.
  expect((await visitor.get('/signin')).text).toContain('Continue as')
})

describe('two-step sign-in', () => {
  it('is on once a code has confirmed it, and gives ten recovery codes', async () => {
    expect((await api.call(account.secondFactor, {}, { as: ines })).body).toEqual({ enabled_at: null, recovery_codes_left: 0 })
    const { secret, codes } = await turnOn()
    expect([secret, new Set(codes).size]).toEqual([expect.stringMatching(/^[A-Z2-7]{32}$/), 10])
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/)
    expect((await api.call(account.secondFactor, {}, { as: ines })).body).toMatchObject({ recovery_codes_left: 10 })
    expect((await api.call(self, {}, { as: ines })).body.data.mfa_enabled).toBe(true)
    expect([await actions(), mailsTo(ines)]).toEqual([['user.totp_enable'], ['Teasel: two-step sign-in is on']])
  })
  it('is not begun without the password', async () => {
    await givePassword(api, ines)
    const begun = await api.call(account.beginSecondFactor, {}, { as: ines, body: { current_password: 'not the password' } })
    expect([begun.status, details(begun)]).toEqual([422, ['current_password: wrong']])
    const confirmed = await api.call(account.confirmSecondFactor, {}, { as: ines, body: { code: '123456' } })
    expect([confirmed.status, confirmed.error.code]).toEqual([409, 'second_factor_not_begun'])
  })
  it('is not on after a wrong code, nor after a quarter of an hour', async () => {
    const current_password = await givePassword(api, ines)
    const { secret } = (await api.call(account.beginSecondFactor, {}, { as: ines, body: { current_password } })).body
    const confirm = (code: string) => api.call(account.confirmSecondFactor, {}, { as: ines, body: { code } })
    expect(details(await confirm(appCode(api, secret, 5)))).toEqual(['code: wrong'])
    expect(details(await confirm('12345'))).toEqual(['code: code'])
    expect(details(await confirm(''))).toEqual(['code: required'])
    api.advance(900)
    expect((await confirm(appCode(api, secret))).error.code).toBe('second_factor_not_begun')
    expect((await api.call(self, {}, { as: ines })).body.data.mfa_enabled).toBe(false)
  })
  it('is not begun or confirmed a second time', async () => {
    const { secret, current_password } = await turnOn()
    const begun = await api.call(account.beginSecondFactor, {}, { as: ines, body: { current_password } })
    const confirmed = await api.call(account.confirmSecondFactor, {}, { as: ines, body: { code: appCode(api, secret) } })
    expect([begun.error.code, confirmed.error.code]).toEqual(['second_factor_on', 'second_factor_on'])
  })
  it('can be turned off only with password and code together', async () => {
    const { secret, current_password, codes } = await turnOn()
    const remove = (body: { current_password: string; code: string }) =>
      api.call(account.removeSecondFactor, {}, { as: ines, body })
    expect(details(await remove({ current_password: 'not the password', code: appCode(api, secret) }))).toEqual([
      'current_password: wrong',
    ])
    expect(details(await remove({ current_password, code: appCode(api, secret, 9) }))).toEqual(['code: wrong'])
    expect(details(await remove({ current_password, code: 'not a code' }))).toEqual(['code: code'])
    expect((await remove({ current_password, code: codes[3]?.toUpperCase().replaceAll('-', ' ') ?? '' })).status).toBe(204)
    expect((await remove({ current_password, code: appCode(api, secret) })).error.code).toBe('second_factor_off')
    expect((await api.call(self, {}, { as: ines })).body.data.mfa_enabled).toBe(false)
    expect(await actions()).toEqual(['user.totp_enable', 'session.fail', 'session.fail', 'user.totp_disable'])
    const signedIn = await host.browser().submit('/signin', { email: ines.email, password })
    expect(signedIn.location).toMatch(/#code=|localhost:5173\/$/)
  })
  it('gets new recovery codes, and the old ones stop working', async () => {
    const { secret, current_password, codes } = await turnOn()
    const renew = (code: string) => api.call(account.renewRecoveryCodes, {}, { as: ines, body: { current_password, code } })
    const renewed = await renew(appCode(api, secret))
    expect(renewed.body.recovery_codes).toHaveLength(10)
    expect(details(await renew(codes[0] ?? ''))).toEqual(['code: wrong'])
    expect((await renew(renewed.body.recovery_codes[0] ?? '')).status).toBe(200)
  })
  it('T-12: can be guessed five times in 15 minutes, from all addresses together', async () => {
    const { secret, current_password } = await turnOn()
    const remove = (code: string, from: string) =>
      api.call(account.removeSecondFactor, {}, { as: ines, body: { current_password, code }, from })
    const statuses: number[] = []
    for (let n = 0; n < 5; n++) statuses.push((await remove(appCode(api, secret, 9), `10.4.0.${n}`)).status)
    statuses.push((await remove(appCode(api, secret), '10.4.0.9')).status)
    expect(statuses).toEqual([422, 422, 422, 422, 422, 429])
    const visitor = host.browser('10.4.1.1')
    await visitor.submit('/signin', { email: ines.email, password })
    expect((await visitor.submit('/signin/code', { code: appCode(api, secret) })).status).toBe(429)
    api.advance(901)
    expect((await remove(appCode(api, secret), '10.4.0.9')).status).toBe(204)
  })
  it('T-09: its secret is stored encrypted in the database, and never in the log', async () => {
    const { secret, codes, current_password } = await turnOn()
    const [row] = await api.db.select().from(secondFactors).where(eq(secondFactors.userId, ines.id))
    expect(row?.sealedSecret).toMatch(/^[0-9a-f]{8}\.[\w-]{60,}$/)
    expect(JSON.stringify(row)).not.toContain(secret)
    const log = api.lines.join('')
    for (const word of [secret, current_password, ...codes]) expect(log).not.toContain(word)
  })
})

describe('a second step at the sign-in host', () => {
  const enter = async (address?: string) => {
    const visitor = host.browser(address)
    const sent = await visitor.submit('/signin', { email: ines.email, password })
    expect([sent.status, sent.location]).toEqual([303, '/signin/code'])
    return visitor
  }

  it('accepts a code of the app once', async () => {
    const { secret } = await turnOn()
    const visitor = await enter()
    // The password alone has not signed in.
    expect((await visitor.get('/signin')).text).not.toContain('Continue as')
    const code = appCode(api, secret)
    expect((await visitor.submit('/signin/code', { code })).location).toBe('http://localhost:5173/')
    expect((await visitor.get('/signin')).text).toContain('Continue as')
    const again = await (await enter()).submit('/signin/code', { code })
    expect([again.status, again.text]).toEqual([401, expect.stringContaining('This code is wrong or was used before')])
  })
  it('refuses a code of the past once a later one was taken', async () => {
    const { secret } = await turnOn()
    expect((await (await enter()).submit('/signin/code', { code: appCode(api, secret, 1) })).status).toBe(303)
    expect((await (await enter()).submit('/signin/code', { code: appCode(api, secret) })).status).toBe(401)
  })
  it('accepts a recovery code once, and sends a mail about it', async () => {
    const { codes } = await turnOn()
    const code = codes[5]?.toUpperCase() ?? ''
    const visitor = await enter()
    expect((await visitor.get('/signin/code?with=recovery')).text).toContain('Recovery code')
    expect((await visitor.submit('/signin/code?with=recovery', { code, with: 'recovery' })).status).toBe(303)
    expect((await (await enter()).submit('/signin/code', { code, with: 'recovery' })).status).toBe(401)
    expect((await api.call(account.secondFactor, {}, { as: ines })).body.recovery_codes_left).toBe(9)
    expect(mailsTo(ines).at(-1)).toBe('Teasel: a recovery code was used')
    expect(await actions()).toEqual(['user.totp_enable', 'user.recovery_code_use', 'session.fail'])
  })
  it('accepts one code once, also with concurrent requests', async () => {
    const { codes } = await turnOn()
    const visitors = [await enter('10.5.0.1'), await enter('10.5.0.2'), await enter('10.5.0.3')]
    const answers = await Promise.all(visitors.map((visitor) => visitor.submit('/signin/code', { code: codes[0] ?? '' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([303, 401, 401])
  })
  it('requires a code, and is refused without the password or after too long', async () => {
    const { secret } = await turnOn()
    expect((await host.browser().get('/signin/code')).location).toBe('/signin?told=late')
    const visitor = await enter()
    expect((await visitor.submit('/signin/code', { code: ' ' })).status).toBe(422)
    api.advance(600)
    expect((await visitor.get('/signin/code')).location).toBe('/signin?told=late')
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/signin')).text)?.[1] ?? ''
    expect((await visitor.post('/signin/code', { csrf, code: appCode(api, secret) })).location).toBe('/signin?told=late')
    expect((await visitor.get('/signin?told=late')).text).toContain('The second step has expired. Sign in again.')
  })
  it('is required after a password reset too: the mailed link does not sign in', async () => {
    await turnOn()
    const visitor = host.browser('10.6.0.1')
    await visitor.submit('/forgot', { email: ines.email })
    const reset = await visitor.submit(host.linkTo(ines.email, '/reset/'), { password: 'nine quiet herons wade' })
    expect([reset.status, reset.location]).toEqual([303, '/signin?told=reset'])
    expect((await visitor.get('/signin')).text).not.toContain('Continue as')
    const sent = await visitor.submit('/signin', { email: ines.email, password: 'nine quiet herons wade' })
    expect(sent.location).toBe('/signin/code')
    expect((await visitor.get('/signin')).text).not.toContain('Continue as')
  })
  it('T-14: refuses a form from another origin', async () => {
    const { secret } = await turnOn()
    const visitor = await enter()
    const code = appCode(api, secret)
    expect((await visitor.post('/signin/code', { code }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect((await visitor.post('/signin/code', { code })).status).toBe(403)
    expect((await visitor.submit('/signin/code', { code })).status).toBe(303)
  })
})

describe('the picture', () => {
  const set = (bytes: Buffer | Uint8Array, as = ines) =>
    api.call(account.setAvatar, {}, { as, body: { image: new Blob([new Uint8Array(bytes)]) } })
  const keyOf = (url: string | null) => url?.split('/').at(-1) ?? ''
  const fetched = (url: string | null) => api.app.inject({ url: `/avatars/${keyOf(url)}`, headers: { host: 'localhost:8080' } })

  it('is served publicly at an unguessable path, with immutable content', async () => {
    const { image_url } = (await set(small.jpeg)).body
    expect(image_url).toMatch(/^http:\/\/localhost:8080\/avatars\/[\w-]{43}$/)
    expect((await api.call(self, {}, { as: ines })).body.data.image_url).toBe(image_url)
    const answer = await fetched(image_url)
    expect([answer.statusCode, pictureType(answer.rawPayload)]).toEqual([200, 'image/jpeg'])
    expect(answer.headers).toMatchObject({
      'content-type': 'image/jpeg',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
      'content-disposition': 'attachment; filename="avatar.jpeg"',
    })
    expect(await actions()).toEqual(['user.update'])
  })
  it('T-15: a page in the comments or in the pixels of a JPEG is not served', async () => {
    const page = '<!doctype html><script>alert(1)</script>'
    const scan = small.jpeg.length - 4
    const inPixels = Buffer.concat([small.jpeg.subarray(0, scan), Buffer.from(page), small.jpeg.subarray(scan)])
    for (const file of [segment(0xfe, page), inPixels]) {
      const answer = await fetched((await set(file)).body.image_url)
      expect(answer.statusCode).toBe(200)
      expect(answer.rawPayload.includes('script')).toBe(false)
    }
  })
  it('T-15: what is no picture in the database is not served, whatever type is written beside it', async () => {
    const { image_url } = (await set(png(6, 4))).body
    const forged = { bytes: Buffer.from('<!doctype html><script>alert(1)</script>'), type: 'image/png' as const }
    await api.db.update(avatars).set(forged).where(eq(avatars.userId, ines.id))
    expect((await fetched(image_url)).statusCode).toBe(404)
    await api.db
      .update(avatars)
      .set({ bytes: Buffer.from(small.webp) })
      .where(eq(avatars.userId, ines.id))
    expect((await fetched(image_url)).headers['content-type']).toBe('image/webp')
  })
  it('replaces the previous one, which is deleted', async () => {
    const first = (await set(small.webp)).body.image_url
    const second = (await set(png(6, 4))).body.image_url
    expect(second).not.toBe(first)
    expect([(await fetched(first)).statusCode, (await fetched(second)).headers['content-type']]).toEqual([404, 'image/png'])
    expect((await api.call(account.removeAvatar, {}, { as: ines })).body.image_url).toBeNull()
    expect((await fetched(second)).statusCode).toBe(404)
    expect((await api.call(self, {}, { as: ines })).body.data.image_url).toBeNull()
    expect(await api.db.select().from(avatars).where(eq(avatars.userId, ines.id))).toEqual([])
  })
  it.each([
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'image: type'],
    ['a damaged picture', small.jpeg.subarray(0, 200), 'image: damaged'],
    ['a picture that is too wide', png(1025, 1), 'image: dimensions'],
    ['an empty file', Buffer.alloc(0), 'image: empty'],
  ])('is not %s', async (_, file, said) => {
    const answer = await set(file)
    expect([answer.status, details(answer), await actions()]).toEqual([422, [said], []])
  })
  it('is a file, one, and nothing beside it', async () => {
    // Sends what the types forbid.
    const text = await api.call(account.setAvatar, {}, { as: ines, body: { image: 'text' as unknown as Blob } })
    const none = await api.call(account.setAvatar, {}, { as: ines, body: {} as { image: Blob } })
    const more = { image: new Blob([png(1, 1)]), user_id: 'x' }
    expect([text, none, await api.call(account.setAvatar, {}, { as: ines, body: more })].map(details)).toEqual([
      ['image: type'],
      ['image: required'],
      ['user_id: unknown_field'],
    ])
  })
  it('is at most 2 MiB: larger ones are refused without decoding', async () => {
    const over = await set(Buffer.alloc(account.avatarLimit.bytes + 1))
    expect([over.status, over.error.code, over.error.message]).toEqual([
      413,
      'file_too_large',
      'File size must be less than 2 MB',
    ])
    const far = await set(Buffer.alloc(4_000_000))
    expect([far.status, far.error.code, far.error.message]).toEqual([413, 'body_too_large', 'The request is larger than 2 MiB'])
  })
})

describe('the events of the account', () => {
  const list = async (as: { token: string }, query = {}) => (await api.call(accountEvents, {}, { as, query })).body
  const told = async (as: { token: string }) =>
    (await list(as, { limit: 200 })).events.map(({ action, result, reason }) =>
      [action, ...(result === 'success' ? [] : [result]), ...(reason === null ? [] : [reason])].join(', '),
    )
  /** Signs in with the forms and redeems the code, as the console does. */
  const signIn = async (email: string, visitor = host.browser('10.9.0.1')) => {
    const { verifier, challenge } = pkce()
    const asked = new URLSearchParams(authorizeQuery(challenge))
    const signedIn = await visitor.submit(`/signin?${asked}`, { email, password, ...authorizeQuery(challenge) })
    const code = new URLSearchParams(new URL(signedIn.location ?? '').hash.slice(1)).get('code') ?? ''
    const body = { code, code_verifier: verifier }
    const redeem = () => api.call(createSession, {}, { body, headers: { 'user-agent': 'Firefox/128' }, from: '10.9.0.2' })
    return { visitor, redeem, token: (await redeem()).body.session_token }
  }

  it('are all recorded, newest first, with address and client, and the own session is marked', async () => {
    const email = 'events@example.com'
    await host.signUp(email)
    expect((await host.browser('10.9.0.3').submit('/signin', { email, password: 'not the password' })).status).toBe(401)
    await host.browser('10.9.0.4').submit('/forgot', { email })
    // Recorded after the answer, at a moment of its own.
    await expect.poll(() => api.db.$count(auditEntries, eq(auditEntries.sourceIp, '10.9.0.4')), { timeout: within(5000) }).toBe(1)
    const link = host.linkTo(email, '/reset/')
    expect(link).toMatch(/^\/reset\//)
    const first = await signIn(email)
    const as = { token: first.token }
    const user = (await api.call(self, {}, { as })).body.data
    await api.call(updateSelf, {}, { as, body: { full_name: 'Ines Q.' } })
    await api.call(account.setAvatar, {}, { as, body: { image: new Blob([png(8, 8)]) } })
    await api.call(saveProfile, {}, { as, body: { first_name: 'Ines' } })
    // Actions in projects are no events of the account.
    const { body: project } = await api.call(createPersonalProject, {}, { as, body: { name: 'Elsewhere' } })
    await api.call(createTag, { projectId: project.id }, { as, body: { name: 'x', colour: 'sky' } })
    await api.call(changeNotificationSetting, { projectId: project.id }, { as, body: { level: 'all' } })
    await api.call(account.beginSecondFactor, {}, { as, body: { current_password: 'not the password' } })
    const { secret } = (await api.call(account.beginSecondFactor, {}, { as, body: { current_password: password } })).body
    const { recovery_codes: codes } = (
      await api.call(account.confirmSecondFactor, {}, { as, body: { code: appCode(api, secret) } })
    ).body
    const both = (code = '') => ({ as, body: { current_password: password, code } })
    expect((await api.call(account.renewRecoveryCodes, {}, both('000000'))).status).toBe(422)
    const fresh = (await api.call(account.renewRecoveryCodes, {}, both(codes[0]))).body.recovery_codes
    const stepping = host.browser('10.9.0.5')
    await stepping.submit('/signin', { email, password })
    expect((await stepping.submit('/signin/code', { code: '000000' })).status).toBe(401)
    expect((await stepping.submit('/signin/code?with=recovery', { code: fresh[0] ?? '', with: 'recovery' })).status).toBe(303)
    await stepping.submit('/signin', {}, '/signout')
    await api.call(account.removeSecondFactor, {}, both(fresh[1]))
    const second = await signIn(email)
    const third = await signIn(email)
    expect((await second.redeem()).error.code).toBe('code_used')
    const thirdId = (await api.call(accountEvents, {}, { as: { token: third.token } })).body
    expect(thirdId.events.filter(({ current }) => current).map(({ action }) => action)).toEqual(['session.create'])
    await api.call(deleteCurrentSession, {}, { as: { token: third.token } })
    const other = await api.session(user.id)
    await api.call(deleteSession, { sessionId: other.sessionId }, { as })
    await api.session(user.id)
    await api.call(account.endOtherSessions, {}, { as })
    const changed = { current_password: password, new_password: 'nine quiet herons wade' }
    expect((await api.call(account.changePassword, {}, { as, body: changed })).status).toBe(204)
    expect(await told(as)).toEqual([
      'user.password_change',
      'session.delete, all other sessions',
      'session.delete',
      'session.delete',
      'session.delete, its sign-in code was used twice',
      'session.create',
      'session.create',
      'user.totp_disable',
      'session.delete, at the sign-in host',
      'user.recovery_code_use',
      'session.fail, failure',
      'user.recovery_codes_renew',
      'session.fail, failure, second factor not proven',
      'user.totp_enable',
      'session.fail, failure, password not proven',
      'user.notifications_change',
      'user.profile_submit',
      'user.update',
      'user.update',
      'session.create',
      'user.password_reset_request',
      'session.fail, failure',
      'user.create',
    ])
    const { events } = await list(as, { limit: 200 })
    // Those of an identity provider, of another address and of the export have files of their own in this folder.
    const elsewhere = ['user.identity_', 'user.email_', 'user.export']
    const own = accountActions.filter((action) => !elsewhere.some((start) => action.startsWith(start)))
    expect(new Set(events.map(({ action }) => action))).toEqual(new Set(own))
    const one = (action: string) => events.findLast((event) => event.action === action)
    expect(one('session.create')).toMatchObject({ ip: '10.9.0.2', user_agent: 'Firefox/128', current: true })
    expect(one('session.fail')).toMatchObject({ ip: '10.9.0.3', current: false })
    expect(one('user.password_reset_request')).toMatchObject({ ip: '10.9.0.4', current: false })
    expect(one('user.update')).toMatchObject({ changed: ['full_name'], current: true })
    // They contain no secret and no field value.
    expect(JSON.stringify(events)).not.toContain('Ines Q.')
  })

  it('record a change of the feature channel, which accepts only its two values', async () => {
    const changed = await api.call(updateSelf, {}, { as: ines, body: { feature_channel: 'experimental' } })
    expect([changed.status, changed.body.feature_channel]).toEqual([200, 'experimental'])
    expect((await api.call(self, {}, { as: ines })).body.data.feature_channel).toBe('experimental')
    expect((await list(ines)).events[0]).toMatchObject({ action: 'user.update', changed: ['feature_channel'] })
    const body: unknown = { feature_channel: 'nightly' }
    expect((await api.call(updateSelf, {}, { as: ines, body: body as { feature_channel: 'stable' } })).status).toBe(422)
  })

  it('are read page by page, without one twice or missing', async () => {
    for (const full_name of ['a', 'b', 'c', 'd', 'e']) await api.call(updateSelf, {}, { as: ines, body: { full_name } })
    const first = await list(ines, { limit: 2 })
    const second = await list(ines, { limit: 2, cursor: first.next_cursor })
    const last = await list(ines, { limit: 2, cursor: second.next_cursor })
    const all = [first, second, last].flatMap(({ events }) => events)
    expect(all).toEqual((await list(ines)).events)
    expect([all.length, last.next_cursor]).toEqual([5, null])
    expect((await api.call(accountEvents, {}, { as: ines, query: { cursor: 'forged' } })).status).toBe(422)
  })

  it('are those of the caller alone', async () => {
    await api.call(updateSelf, {}, { as: ines, body: { full_name: 'Ines Q.' } })
    const other = await api.person()
    expect(await list(other)).toEqual({ events: [], next_cursor: null })
    expect((await api.call(accountEvents, {}, {})).status).toBe(401)
  })

  it('a reset requested for an address without an account is not recorded', async () => {
    const before = await api.db.$count(auditEntries)
    const other = await createSignIn(api)
    await other.browser('10.9.0.6').submit('/forgot', { email: 'unknown@example.com' })
    // The end of the host waits for what is left to record.
    await other.close()
    expect(await api.db.$count(auditEntries)).toBe(before)
  })
})
