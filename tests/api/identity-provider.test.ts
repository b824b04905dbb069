import { and, desc, eq, isNull } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { beginSecondFactor, confirmSecondFactor } from '../../contract/accounts/account'
import { disconnectIdentity, listIdentities } from '../../contract/accounts/identities'
import { members as membersOf } from '../../contract/accounts/members'
import { createSession } from '../../contract/accounts/sessions'
import { self } from '../../contract/accounts/users'
import { listGroupRoles } from '../../server/accounts/identities/apply-groups'
import { members } from '../../server/accounts/schema/organizations'
import { buildApi } from '../../server/api'
import { identities, identityRequests, signIns, users } from '../../server/accounts/schema/people'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { passwordsOf } from '../../server/core/passwords/passwords'
import type { IdentityProvider } from '../../server/core/identity-provider'
import { appCode, givePassword } from '../support/account'
import { cheapPasswords, createTestApi, type TestApi } from '../support/api'
import { logInAt, startIdentityProvider, type TestIdentityProvider } from '../support/identity-provider'
import { authorizeQuery, createSignIn, password, pkce } from '../support/sign-in'
import type { Person } from '../support/people'

let provider: TestIdentityProvider
let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
let owner: Person
let organization: { id: string; publicId: string }
let small: { id: string; publicId: string }
const accounts: Record<string, { email?: string; email_verified?: boolean; name?: string; groups?: string[] }> = {}

/** The sign-in host with other settings of the provider. */
const hostWith = (settings: Partial<IdentityProvider>, passwordSignIn = true) => {
  const { identityProvider } = api.config
  if (!identityProvider) throw new Error('no provider')
  const config = { ...api.config, passwordSignIn, identityProvider: { ...identityProvider, ...settings } }
  return createSignIn({ ...api, deps: { ...api.deps, config } })
}

const account = (login: string, changes: (typeof accounts)[string] = {}) => {
  accounts[login] = {
    email: `${login}@hedgerow.example`,
    email_verified: true,
    name: 'Mara Finch',
    ...accounts[login],
    ...changes,
  }
  return provider.set({ accounts })
}

beforeAll(async () => {
  provider = await startIdentityProvider()
  api = await createTestApi(provider.variables, cheapPasswords)
  followTime()
  owner = await api.person()
  organization = await api.organization(owner)
  small = await api.organization(owner, 'Small', 'developer')
  const of = ({ publicId }: { publicId: string }) => publicId
  host = await hostWith({
    domains: ['hedgerow.example'],
    groupRoles: {
      engineers: { organization: of(organization), role: 'developer' },
      operations: { organization: of(organization), role: 'operator' },
      heads: { organization: of(organization), role: 'owner' },
      small: { organization: of(small), role: 'viewer' },
    },
  })
})
afterAll(async () => {
  await host?.close()
  await api?.close()
  await provider?.stop()
})

/** The tokens of the provider have the real time. */
const followTime = () => api.advance((Date.now() - api.deps.clock().getTime()) / 1000)

type Visitor = ReturnType<typeof host.browser>

const asked = () => {
  const { verifier, challenge } = pkce()
  return { verifier, query: `?${new URLSearchParams(authorizeQuery(challenge))}` }
}

/** Sends a browser to the provider, where it logs in, and answers with the address that it comes back to. */
const goThere = async (visitor: Visitor, login: string, query = '') => {
  const { location = '', status } = await visitor.get(`/signin/oidc${query}`)
  expect(status).toBe(303)
  return logInAt(location, login)
}
const comeBack = (visitor: Visitor, back: URL) => visitor.get(`${back.pathname}${back.search}`)
const signIn = async (visitor: Visitor, login: string, query = '') => comeBack(visitor, await goThere(visitor, login, query))

const codeIn = (text: string) => /<code>([a-z_]+)<\/code>, request/.exec(text)?.[1]
const refused = async (visitor: Visitor, back: URL) => {
  const { status, text } = await comeBack(visitor, back)
  return [status, codeIn(text)]
}
const userOf = async (email: string) => (await api.db.select().from(users).where(eq(users.email, email)))[0]
const identityOf = async (subject: string) => (await api.db.select().from(identities).where(eq(identities.subject, subject)))[0]
const auditOf = (chainId: string) =>
  api.db.select().from(auditEntries).where(eq(auditEntries.chainId, chainId)).orderBy(desc(auditEntries.sequence))
const countSignIns = async () => (await api.db.select().from(signIns)).length

/** A session of the console for a browser that signs in with the provider. */
const session = async (login: string) => {
  const visitor = host.browser()
  const { verifier, query } = asked()
  const { location = '' } = await signIn(visitor, login, query)
  const code = new URLSearchParams(new URL(location).hash.slice(1)).get('code') ?? ''
  const made = await api.call(createSession, {}, { body: { code, code_verifier: verifier } })
  expect(made.status).toBe(201)
  return { visitor, token: made.body.session_token }
}

describe('the first sign-in', () => {
  it('creates the account, connects it and leads to a session of the console', async () => {
    await account('mara')
    const { token } = await session('mara')
    const { data } = (await api.call(self, {}, { as: token })).body
    expect(data).toMatchObject({ email: 'mara@hedgerow.example', full_name: 'Mara Finch' })
    const user = await userOf('mara@hedgerow.example')
    const actions = (await auditOf(user?.id ?? '')).map(({ action }) => action)
    expect(actions).toEqual(['session.create', 'user.identity_connect', 'user.create'])
    expect(await api.db.select().from(identityRequests)).toEqual([])
  })

  it('is the only one that creates: later ones find the account by its subject, also with another address', async () => {
    await account('mara', { email: 'mara.finch@hedgerow.example' })
    const { token } = await session('mara')
    expect((await api.call(self, {}, { as: token })).body.data.email).toBe('mara@hedgerow.example')
    expect(await userOf('mara.finch@hedgerow.example')).toBeUndefined()
    expect((await identityOf('mara'))?.email).toBe('mara.finch@hedgerow.example')
  })

  it('asks on the sign-in page if another site sends the browser', async () => {
    const { headers, location } = await host.app
      .inject({ url: '/signin/oidc', headers: { host: 'localhost:3000', 'sec-fetch-site': 'cross-site' } })
      .then((answer) => ({ headers: answer.headers, location: answer.headers.location }))
    expect([location, headers['set-cookie']]).toEqual(['/signin', undefined])
  })

  it('works at once after the provider has changed its keys', async () => {
    await provider.set({ rotate: true })
    expect((await signIn(host.browser(), 'mara')).location).toBe('http://localhost:5173/')
  })
})

describe('an answer of the provider is refused by name and signs nobody in', () => {
  it.each([
    ['forged', 'token_signature'],
    ['unknown_key', 'token_signature'],
    ['none', 'token_signature'],
    ['expired', 'token_expired'],
    ['audience', 'token_audience'],
    ['issuer', 'token_issuer'],
    ['nonce', 'token_nonce'],
    ['no_nonce', 'token_malformed'],
  ] as const)('with the token: %s', async (fault, code) => {
    const before = await countSignIns()
    const visitor = host.browser()
    const back = await goThere(visitor, 'mara')
    await provider.set({ fault })
    expect(await refused(visitor, back)).toEqual([403, code])
    expect(await countSignIns()).toBe(before)
    // The log says why, and has no token.
    const line = api.lines.findLast((one) => one.includes(`"code":"${code}"`))
    expect(line).toBeDefined()
    expect(line).not.toContain('eyJ')
  })

  it.each<[string, string, (back: URL) => void]>([
    ['of another issuer (RFC 9207)', 'issuer_wrong', (back) => back.searchParams.set('iss', 'https://login.example.com')],
    ['without an issuer', 'issuer_missing', (back) => back.searchParams.delete('iss')],
    ['with an unknown state', 'state_unknown', (back) => back.searchParams.set('state', 'x'.repeat(43))],
    ['without a state', 'state_unknown', (back) => back.searchParams.delete('state')],
    ['with a code that nobody issued', 'code_refused', (back) => back.searchParams.set('code', 'made up')],
    [
      'that is an error',
      'provider_refused',
      (back) => {
        back.searchParams.delete('code')
        back.searchParams.set('error', 'access_denied')
      },
    ],
  ])('%s', async (_, code, change) => {
    const visitor = host.browser()
    const back = await goThere(visitor, 'mara')
    change(back)
    expect(await refused(visitor, back)).toEqual([403, code])
  })

  it('in another browser than the one that began', async () => {
    const back = await goThere(host.browser(), 'mara')
    const other = host.browser()
    await other.get('/signin/oidc')
    expect(await refused(other, back)).toEqual([403, 'state_foreign'])
    expect(await refused(host.browser(), back)).toEqual([403, 'state_foreign'])
  })

  it('a second time, also at the same time', async () => {
    const visitor = host.browser()
    const back = await goThere(visitor, 'mara')
    const answers = await Promise.all([comeBack(visitor, back), comeBack(visitor, back)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 403])
    expect(await refused(visitor, back)).toEqual([403, 'state_unknown'])
  })

  it('with a code that was used before', async () => {
    const visitor = host.browser()
    const first = await goThere(visitor, 'mara')
    expect((await comeBack(visitor, first)).status).toBe(303)
    const second = await goThere(visitor, 'mara')
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    expect(await refused(visitor, second)).toEqual([403, 'code_refused'])
  })

  it('ten minutes after the browser left, and leads back to the request', async () => {
    const visitor = host.browser()
    const { query } = asked()
    const back = await goThere(visitor, 'mara', query)
    await provider.set({ fault: 'forged' })
    const { text } = await comeBack(visitor, back)
    expect(text).toContain(`href="/signin${query.replaceAll('&', '&amp;')}"`)
    const late = await goThere(visitor, 'mara')
    api.advance(600)
    expect(await refused(visitor, late)).toEqual([403, 'state_unknown'])
    api.advance(-600)
  })
})

describe('the address of a new account', () => {
  it.each([
    ['unverified', { email_verified: false }, 'address_unverified'],
    ['unsaid', { email_verified: undefined }, 'address_unverified'],
    ['missing', { email: undefined }, 'address_missing'],
    ['elsewhere', { email: 'elsewhere@sub.hedgerow.example' }, 'address_not_allowed'],
  ])('is refused if it is %s', async (login, changes, code) => {
    await account(login, changes)
    const visitor = host.browser()
    expect(await refused(visitor, await goThere(visitor, login))).toEqual([403, code])
    expect(await identityOf(login)).toBeUndefined()
  })

  it('is refused without verification if it has an account, whose owner sees it', async () => {
    const { id } = await api.person({ email: 'victim@hedgerow.example' })
    await account('thief', { email: 'victim@hedgerow.example', email_verified: false })
    const visitor = host.browser()
    expect(await refused(visitor, await goThere(visitor, 'thief'))).toEqual([403, 'address_unverified'])
    const [entry] = await auditOf(id)
    expect(entry).toMatchObject({ action: 'session.fail', result: 'failure', reason: 'address_unverified' })
    expect(entry?.actor.kind).toBe('anonymous')
  })
})

describe('an existing account with the same address', () => {
  const known = async (login: string) => {
    const person = await api.person({ email: `${login}@hedgerow.example` })
    await givePassword(api, person)
    await account(login)
    return person
  }
  const link = '/signin/oidc/link'

  it('is connected by its password, once', async () => {
    const { id } = await known('paul')
    const visitor = host.browser()
    expect((await signIn(visitor, 'paul')).location).toBe(link)
    const wrong = await visitor.submit(link, { password: 'not the password' })
    expect([wrong.status, await identityOf('paul')]).toEqual([401, undefined])
    expect((await auditOf(id))[0]).toMatchObject({ action: 'session.fail', reason: 'identity_not_proven' })
    const right = await visitor.submit(link, { password })
    expect([right.status, right.location]).toEqual([303, 'http://localhost:5173/'])
    expect((await identityOf('paul'))?.userId).toBe(id)
    expect((await auditOf(id))[0]?.action).toBe('user.identity_connect')
    expect(api.sent.at(-1)?.subject).toBe('Teasel: Hedgerow is connected to your account')
    expect((await signIn(host.browser(), 'paul')).location).toBe('http://localhost:5173/')
  })

  it('is connected by a mailed code', async () => {
    const { id, email } = await known('rosa')
    const visitor = host.browser()
    await signIn(visitor, 'rosa')
    expect((await visitor.submit(link, { code: '12345678' })).status).toBe(401)
    await visitor.submit(link, { send: 'yes' })
    const mail = api.sent.findLast(({ to }) => to === email)
    const code = /: (\d{8})\n/.exec(mail?.text ?? '')?.[1] ?? ''
    expect((await visitor.submit(link, { code: code === '00000000' ? '00000001' : '00000000' })).status).toBe(401)
    expect((await visitor.submit(link, { code })).status).toBe(303)
    expect((await identityOf('rosa'))?.userId).toBe(id)
    expect((await visitor.get(link)).location).toBe('/signin?told=late_link')
  })

  it('T-11: is not connected by a password that was reset while it was verified', async () => {
    const { id, email } = await known('olga')
    const visitor = host.browser()
    await signIn(visitor, 'olga')
    await host.browser().submit('/forgot', { email })
    const passwords = passwordsOf(host.config)
    const { matches } = passwords
    const slow = vi.spyOn(passwords, 'matches').mockImplementationOnce(async (...given) => {
      const isRight = await matches(...given)
      await host.browser('10.0.0.1').submit(host.linkTo(email, '/reset/'), { password: 'another lattice entirely' })
      return isRight
    })
    const late = await visitor.submit(link, { password })
    slow.mockRestore()
    expect([late.status, late.text.includes('This is not the password of this account')]).toEqual([401, true])
    expect(await identityOf('olga')).toBeUndefined()
    expect(await api.db.$count(signIns, and(eq(signIns.userId, id), isNull(signIns.endedAt)))).toBe(0)
  })

  it('is not connected after five wrong codes, or ten minutes', async () => {
    await known('nils')
    const visitor = host.browser()
    await signIn(visitor, 'nils')
    const tries: number[] = []
    for (let at = 0; at < 6; at += 1) tries.push((await visitor.submit(link, { code: '12345678' })).status)
    expect(tries).toEqual([401, 401, 401, 401, 401, 429])
    api.advance(600)
    expect((await visitor.get(link)).location).toBe('/signin?told=late_link')
    api.advance(-600)
    expect(await identityOf('nils')).toBeUndefined()
  })

  it('is not connected to a second account of the provider', async () => {
    await account('paul-again', { email: 'paul@hedgerow.example' })
    const visitor = host.browser()
    expect(await refused(visitor, await goThere(visitor, 'paul-again'))).toEqual([403, 'identity_conflict'])
  })

  it('is asked for its own second factor, and connected only after it', async () => {
    const careful = await known('ines')
    const as = careful.token
    const { secret } = (await api.call(beginSecondFactor, {}, { as, body: { current_password: password } })).body
    await api.call(confirmSecondFactor, {}, { as, body: { code: appCode(api, secret) } })
    const visitor = host.browser()
    await signIn(visitor, 'ines')
    expect((await visitor.submit(link, { password })).location).toBe('/signin/code')
    expect(await identityOf('ines')).toBeUndefined()
    expect((await visitor.submit('/signin/code', { code: appCode(api, secret, 1) })).location).toBe('http://localhost:5173/')
    expect((await identityOf('ines'))?.userId).toBe(careful.id)
    const next = host.browser()
    expect((await signIn(next, 'ines')).location).toBe('/signin/code')
    expect(next.cookies.has('teasel_sign_in')).toBe(false)
  })
})

describe('disconnecting', () => {
  const idsOf = async (as: string) =>
    (await api.call(listIdentities, {}, { as })).body.identities.map(({ id, email }) => ({ id, email }))

  it('asks for the password and ends the other sessions; signing in asks for the proof again', async () => {
    const [other, { token: as }] = [await session('paul'), await session('paul')]
    const [found] = await idsOf(as)
    expect(found?.email).toBe('paul@hedgerow.example')
    const disconnect = (current_password: string) =>
      api.call(disconnectIdentity, { identityId: found?.id ?? '' }, { as, body: { current_password } })
    expect((await disconnect('not the password')).error.details[0]?.field).toBe('current_password')
    expect((await disconnect(password)).status).toBe(204)
    expect(await idsOf(as)).toEqual([])
    expect((await api.call(self, {}, { as: other.token })).status).toBe(401)
    const user = await userOf('paul@hedgerow.example')
    const actions = (await auditOf(user?.id ?? '')).map(({ action, result }) => `${action} ${result}`)
    expect(actions.slice(0, 2)).toEqual(['user.identity_disconnect success', 'session.fail failure'])
    const visitor = host.browser()
    expect((await signIn(visitor, 'paul')).location).toBe('/signin/oidc/link')
  })

  it('is refused where nothing else could sign in', async () => {
    const { token: as } = await session('mara')
    const [found] = await idsOf(as)
    const body = { current_password: password }
    const refusal = await api.call(disconnectIdentity, { identityId: found?.id ?? '' }, { as, body })
    expect([refusal.status, refusal.error.code]).toEqual([409, 'no_password'])
    expect(await idsOf(as)).toEqual([found])
  })
})

describe('groups', () => {
  const roleOf = async (login: string, at = organization) => {
    const identity = await identityOf(login)
    const rows = await api.db.select().from(members).where(eq(members.organizationId, at.id))
    return rows.find(({ userId }) => userId === identity?.userId)?.baseRole
  }
  const withGroups = async (login: string, groups: string[] | undefined) => {
    await account(login, { groups })
    expect((await signIn(host.browser(), login)).status).toBe(303)
    return roleOf(login)
  }
  const lastEntry = async () => (await auditOf(organization.id))[0]

  it('give, change and end a membership at each sign-in, with an entry in the audit log', async () => {
    expect(await withGroups('lena', ['engineers', 'other'])).toBe('developer')
    expect(await lastEntry()).toMatchObject({
      action: 'member.join',
      actor: { kind: 'system', name: 'groups of Hedgerow' },
      changes: [{ field: 'base_role', before: null, after: 'developer' }],
    })
    expect(await withGroups('lena', ['operations'])).toBe('operator')
    expect((await lastEntry())?.action).toBe('member.role_change')
    expect(await withGroups('lena', undefined)).toBeUndefined()
    expect((await lastEntry())?.action).toBe('member.remove')
  })

  it('leave a membership that people gave, unless one names it', async () => {
    await withGroups('otto', [])
    const { userId = '' } = (await identityOf('otto')) ?? {}
    const joinedAt = api.deps.clock()
    await api.db.insert(members).values({ organizationId: organization.id, userId, baseRole: 'auditor', joinedAt })
    expect(await withGroups('otto', [])).toBe('auditor')
    const byGroup = async () => {
      const { body } = await api.call(membersOf, { organizationId: organization.publicId }, { as: owner })
      return body.members.find(({ user }) => user.id === userId)?.by_group
    }
    expect(await byGroup()).toBe(false)
    expect(await withGroups('otto', ['engineers'])).toBe('developer')
    expect(await byGroup()).toBe(true)
    expect(await withGroups('otto', [])).toBeUndefined()
  })

  it('T-07: never take the last owner', async () => {
    expect(await withGroups('head', ['heads', 'engineers'])).toBe('owner')
    const founder = and(eq(members.organizationId, organization.id), eq(members.userId, owner.id))
    await api.db.update(members).set({ baseRole: 'admin' }).where(founder)
    expect(await withGroups('head', ['engineers'])).toBe('owner')
    expect(await withGroups('head', [])).toBe('owner')
    expect(await lastEntry()).toMatchObject({ action: 'member.remove', result: 'failure', reason: 'last_owner' })
    await api.db.update(members).set({ baseRole: 'owner' }).where(founder)
    expect(await withGroups('head', ['engineers'])).toBe('developer')
  })

  it('do not exceed the plan: the sign-in goes on', async () => {
    await withGroups('nora', ['small'])
    expect(await roleOf('nora', small)).toBeUndefined()
    expect((await auditOf(small.id))[0]).toMatchObject({ action: 'member.join', result: 'failure', reason: 'plan_limit' })
  })

  it('of several the role with most rights counts, in each organization', () => {
    const roles = {
      a: { organization: 'two', role: 'viewer' },
      b: { organization: 'one', role: 'operator' },
      c: { organization: 'two', role: 'admin' },
    } as const
    expect(listGroupRoles(roles, ['a', 'c'])).toEqual([
      { organization: 'one', role: undefined },
      { organization: 'two', role: 'admin' },
    ])
  })
})

describe('back-channel logout', () => {
  const post = async (token: string) => {
    followTime()
    const payload = new URLSearchParams({ logout_token: token }).toString()
    const headers = { host: 'localhost:3000', 'content-type': 'application/x-www-form-urlencoded' }
    const answer = await host.app.inject({ method: 'POST', url: '/signin/oidc/logout', headers, payload })
    return [answer.statusCode, answer.statusCode === 200 ? '' : answer.json<{ error_description: string }>().error_description]
  }
  const works = async (token: string) => (await api.call(self, {}, { as: token })).status === 200
  const sessionAtProvider = async (token: string) => {
    const rows = await api.db.select().from(signIns).orderBy(desc(signIns.createdAt), desc(signIns.id))
    expect(await works(token)).toBe(true)
    return rows[0]?.providerSession
  }

  it('ends the sessions of one session at the provider, then all of the person', async () => {
    await account('vera')
    const [one, two, three] = [await session('vera'), await session('vera'), await session('vera')]
    const sid = await sessionAtProvider(three.token)
    expect(sid).toMatch(/./)
    expect(await post(await provider.logoutToken({ sid }))).toEqual([200, ''])
    expect([await works(one.token), await works(two.token), await works(three.token)]).toEqual([true, true, false])
    // The sign-in page asks again, too.
    expect((await three.visitor.get('/signin')).text).toContain('Continue with Hedgerow')
    expect(await post(await provider.logoutToken({ sub: 'vera' }))).toEqual([200, ''])
    expect([await works(one.token), await works(two.token)]).toEqual([false, false])
    const user = await userOf('vera@hedgerow.example')
    expect((await auditOf(user?.id ?? ''))[0]).toMatchObject({ action: 'session.delete', reason: 'by the identity provider' })
  })

  it.each(['sid', 'sub'] as const)('(%s) also ends a session whose sign-in at the sign-in host has ended before', async (by) => {
    await account('willa')
    const { visitor, token } = await session('willa')
    const sid = await sessionAtProvider(token)
    await visitor.submit('/signin', {}, '/signout')
    expect(await works(token)).toBe(true)
    const user = await userOf('willa@hedgerow.example')
    expect(await post(await provider.logoutToken(by === 'sid' ? { sid } : { sub: 'willa' }))).toEqual([200, ''])
    expect(await works(token)).toBe(false)
    expect((await auditOf(user?.id ?? ''))[0]).toMatchObject({ action: 'session.delete', reason: 'by the identity provider' })
    // What has ended before is not ended again.
    const entries = await auditOf(user?.id ?? '')
    expect(await post(await provider.logoutToken({ sub: 'willa' }))).toEqual([200, ''])
    expect(await auditOf(user?.id ?? '')).toEqual(entries)
  })

  it('of a person who never signed in changes nothing', async () => {
    expect(await post(await provider.logoutToken({ sub: 'nobody' }))).toEqual([200, ''])
  })

  const hour = 3600
  it.each([
    ['is forged', {}, 'token_signature'],
    ['is of another issuer', { iss: 'http://localhost:1' }, 'token_issuer'],
    ['is for another application', { aud: 'another' }, 'token_audience'],
    ['has a nonce', { nonce: 'n' }, 'token_malformed'],
    ['has no event', { events: {} }, 'token_malformed'],
    ['names no event at all', { events: null }, 'token_malformed'],
    ['names nobody', { sub: null }, 'token_malformed'],
    ['has no id', { jti: null }, 'token_malformed'],
    ['has expired', { exp: Math.floor(Date.now() / 1000) - hour }, 'token_expired'],
    ['is an hour old', { iat: Math.floor(Date.now() / 1000) - hour }, 'token_expired'],
  ])('is refused if its token %s', async (what, claims, code) => {
    const { token } = await session('vera')
    const refusedToken = await provider.logoutToken({ sub: 'vera', ...claims }, what === 'is forged')
    expect(await post(refusedToken)).toEqual([400, code])
    expect(await works(token)).toBe(true)
  })

  it('is refused if its token is no token, has no signature, or was used before', async () => {
    expect(await post('')).toEqual([400, 'token_malformed'])
    const used = await provider.logoutToken({ sub: 'vera' })
    const [, payload = ''] = used.split('.')
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`
    expect(await post(none)).toEqual([400, 'token_signature'])
    expect(await post(used)).toEqual([200, ''])
    const { token } = await session('vera')
    expect(await post(used)).toEqual([400, 'token_replayed'])
    expect(await works(token)).toBe(true)
  })
})

describe('without the provider', () => {
  it.each(['refuse', 'hang'] as const)('(%s) a page says so, and passwords go on signing in', async (down) => {
    await provider.set({ down })
    // The metadata of the provider is read again after a minute.
    api.advance(60)
    const visitor = host.browser()
    const { status, text } = await visitor.get('/signin/oidc')
    expect([status, codeIn(text)]).toEqual([503, 'provider_unavailable'])
    expect(text).toContain('Hedgerow does not answer')
    expect(text).toContain('sign in with your password')
    const sent = await visitor.submit('/signin', { email: 'paul@hedgerow.example', password })
    expect(sent.status).toBe(303)
    await provider.set({ down: null })
    expect((await signIn(host.browser(), 'mara')).status).toBe(303)
  })
})

describe('TEASEL_PASSWORD_SIGN_IN=off', () => {
  it('leaves only the identity provider', async () => {
    const only = await hostWith({}, false)
    const visitor = only.browser()
    const page = await visitor.get('/signin')
    expect(page.text).toContain('Continue with Hedgerow')
    expect(page.text).not.toMatch(/password|Sign up/i)
    const csrf = /name="csrf" value="([^"]+)"/.exec((await visitor.get('/forgot')).text)?.[1] ?? ''
    const posted = await visitor.post('/signin', { csrf, email: 'paul@hedgerow.example', password })
    expect([posted.status, posted.text.includes('Passwords do not sign in here')]).toEqual([403, true])
    expect((await visitor.get('/signup')).location).toBe('/signin')
    expect((await visitor.post('/signup', { csrf, email: 'new@example.com', full_name: 'New' })).status).toBe(404)
    await only.close()
  })

  it('refuses to disconnect the only way to sign in', async () => {
    const identityProvider = api.config.identityProvider
    const app = buildApi({ ...api.deps, config: { ...api.config, passwordSignIn: false, identityProvider } })
    const { token } = await session('mara')
    const headers = { host: 'localhost:8080', 'x-session-token': token }
    const id = (await identityOf('mara'))?.id ?? ''
    const payload = { current_password: password }
    const answer = await app.inject({ method: 'DELETE', url: `/identities/${id}`, headers, payload })
    expect([answer.statusCode, answer.json<{ error: { code: string } }>().error.code]).toEqual([409, 'password_sign_in_off'])
    await app.close()
  })
})
