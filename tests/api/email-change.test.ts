import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import * as account from '../../contract/accounts/account'
import { emailChange, emailChangeHours, requestEmailChange, withdrawEmailChange } from '../../contract/accounts/email-change'
import { createInvites, invites } from '../../contract/accounts/invites'
import { self } from '../../contract/accounts/users'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { emailChanges, passwordResets } from '../../server/accounts/schema/people'
import { sweepSignIns } from '../../server/jobs'
import { appCode, givePassword } from '../support/account'
import { cheapPasswords, createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { createSignIn, password } from '../support/sign-in'
import { createTestObjects } from '../support/test-objects'

let api: TestApi
let host: Awaited<ReturnType<typeof createSignIn>>
let ines: Person
let n = 0
let wanted = ''
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
  await givePassword(api, ines)
  wanted = `moved${(n += 1)}@example.com`
})

type Wanted = { email: string; current_password: string; code?: string }
const ask = (body: Partial<Wanted> = {}) =>
  api.call(requestEmailChange, {}, { as: ines, body: { email: wanted, current_password: password, ...body } })
const pending = async () => (await api.call(emailChange, {}, { as: ines })).body.change
const present = async () => (await api.call(self, {}, { as: ines })).body.data.email
const links = (email = wanted) => ({ old: host.linkTo(ines.email, '/email/'), new: host.linkTo(email, '/email/') })
const press = (link: string, answer = 'confirm') => host.browser().submit(link, { answer })
const heading = ({ text }: { text: string }) => /<h1>([^<]+)</.exec(text)?.[1]
const subjectsTo = (email: string) => api.sent.filter(({ to }) => to === email).map(({ subject }) => subject)
const recorded = async () => {
  const rows = await api.db.select().from(auditEntries).where(eq(auditEntries.chainId, ines.id)).orderBy(auditEntries.sequence)
  return rows.map(({ action }) => action).filter((action) => action.startsWith('user.email'))
}

describe('an account changes its address', () => {
  it.each([
    ['old', 'new'],
    ['new', 'old'],
  ] as const)('once the %s address has confirmed and then the %s one', async (first, second) => {
    const asked = await ask()
    expect(asked.body).toMatchObject({ email: wanted, confirmed: { old: false, new: false } })
    const sent = links()
    expect(heading(await press(sent[first]))).toBe('Confirmed')
    expect([await present(), await pending()]).toEqual([
      ines.email,
      expect.objectContaining({ confirmed: { old: first === 'old', new: first === 'new' } }),
    ])
    expect(heading(await press(sent[second]))).toBe('Your address was changed')
    expect([await present(), await pending()]).toEqual([wanted, null])
    for (const email of [ines.email, wanted]) expect(subjectsTo(email).at(-1)).toBe('Teasel: your e-mail address was changed')
    expect(await recorded()).toEqual(['user.email_change_request', 'user.email_change'])
    expect((await host.browser().submit('/signin', { email: wanted, password })).status).toBe(303)
    expect((await host.browser().submit('/signin', { email: ines.email, password })).status).toBe(401)
    expect((await host.browser().get(sent.old)).status).toBe(404)
  })

  it('not by opening the links, and not by one of them alone', async () => {
    await ask()
    const sent = links()
    for (const link of [sent.old, sent.new, sent.old]) expect((await host.browser().get(link)).status).toBe(200)
    await press(sent.new)
    await press(sent.new)
    expect(heading(await host.browser().get(sent.new))).toBe('Confirmed')
    expect(await present()).toBe(ines.email)
  })

  it('only within a day, and expired changes are deleted', async () => {
    await ask()
    const sent = links()
    await press(sent.new)
    api.advance(emailChangeHours * 3600)
    ines = { ...ines, ...(await api.session(ines.id)) }
    expect(await pending()).toBeNull()
    expect((await host.browser().get(sent.old)).status).toBe(404)
    await sweepSignIns(api.deps)
    expect(await api.db.$count(emailChanges, eq(emailChanges.userId, ines.id))).toBe(0)
  })

  it('once, whichever of concurrent presses is first', async () => {
    await ask()
    const sent = links()
    const all = await Promise.all([sent.old, sent.new, sent.old, sent.new].map((link) => press(link)))
    expect(all.filter((one) => heading(one) === 'Your address was changed')).toHaveLength(1)
    expect([await present(), (await recorded()).length]).toEqual([wanted, 2])
  })

  it('to the address of the last request: a second one replaces the first', async () => {
    await ask()
    const former = links()
    await ask({ email: `second.${wanted}` })
    expect((await host.browser().get(former.old)).status).toBe(404)
    expect((await host.browser().get(former.new)).status).toBe(404)
    const sent = links(`second.${wanted}`)
    await press(sent.old)
    await press(sent.new)
    expect(await present()).toBe(`second.${wanted}`)
  })

  it('and what was mailed to the old address opens the account no more', async () => {
    await host.browser().submit('/forgot', { email: ines.email })
    const reset = host.linkTo(ines.email, '/reset/')
    await ask()
    const sent = links()
    await press(sent.old)
    await press(sent.new)
    expect((await host.browser().get(reset)).status).toBe(404)
    expect(await api.db.$count(passwordResets, eq(passwordResets.userId, ines.id))).toBe(0)
  })

  it('and its sessions and open invites follow', async () => {
    const founder = await api.person()
    const { publicId: organizationId } = await api.organization(founder, 'Orchard')
    const body = { emails: [ines.email], base_role: 'viewer' as const, message: '' }
    const { body: made } = await api.call(createInvites, { organizationId }, { as: founder, body })
    await ask()
    const sent = links()
    await press(sent.old)
    await press(sent.new)
    const { body: open } = await api.call(invites, { organizationId }, { as: founder })
    expect(open.invites).toMatchObject([{ email: wanted, state: 'pending' }])
    const visitor = host.browser()
    await visitor.submit('/signin', { email: wanted, password })
    const path = new URL(made.invites[0]?.accept_url ?? '').pathname
    expect((await visitor.submit(path, { answer: 'accept' })).status).toBe(303)
    expect(await present()).toBe(wanted)
  })
})

describe('a change of the address is withdrawn', () => {
  it.each(['old', 'new'] as const)('by the link of the %s address', async (side) => {
    await ask()
    const sent = links()
    const page = await press(sent[side], 'withdraw')
    expect(heading(page)).toBe('The change was withdrawn')
    expect(page.text.includes('Choose a new password')).toBe(side === 'old')
    expect([await pending(), (await host.browser().get(sent.old)).status]).toEqual([null, 404])
    expect(await recorded()).toEqual(['user.email_change_request', 'user.email_change_withdraw'])
  })

  it('by the account', async () => {
    await ask()
    expect((await api.call(withdrawEmailChange, {}, { as: ines })).status).toBe(204)
    expect((await api.call(withdrawEmailChange, {}, { as: ines })).status).toBe(404)
    expect([await pending(), (await host.browser().get(links().new)).status]).toEqual([null, 404])
  })

  it('by a new password', async () => {
    await ask()
    const body = { current_password: password, new_password: 'nine quiet herons wade' }
    await api.call(account.changePassword, {}, { as: ines, body })
    expect(await pending()).toBeNull()
  })

  it('when the address gets an account before the second confirmation', async () => {
    await ask()
    const sent = links()
    await press(sent.old)
    await host.signUp(wanted)
    expect(heading(await press(sent.new))).toBe('The address was not changed')
    expect([await present(), await pending()]).toEqual([ines.email, null])
  })
})

describe('a request to change the address', () => {
  const problems = ({ error }: { error: { details: { field: string; code: string }[] } }) =>
    error.details.map(({ field, code }) => `${field}: ${code}`)

  it('T-13: gets the same answer for an address that has an account; only its mailbox learns of it', async () => {
    const other = await api.person()
    const [free, taken] = [await ask(), await ask({ email: other.email.toUpperCase() })]
    expect(taken.status).toBe(free.status)
    expect({ ...taken.body, email: wanted }).toEqual(free.body)
    expect(await pending()).toMatchObject({ email: other.email })
    expect(subjectsTo(other.email)).toEqual(['You have a Teasel account'])
    expect(host.linkTo(other.email, '/email/')).toBe('')
    await press(links().old)
    expect(await pending()).toMatchObject({ confirmed: { old: true, new: false } })
  })

  it('needs the password, and wrong ones count with those of sign-in', async () => {
    for (let tries = 0; tries < 5; tries++)
      expect(problems(await ask({ current_password: 'wrong' }))).toEqual(['current_password: wrong'])
    expect((await ask()).status).toBe(429)
    expect((await host.browser().submit('/signin', { email: ines.email, password })).status).toBe(429)
    expect(await pending()).toBeNull()
  })

  it('needs a code with two-step sign-in', async () => {
    const { secret } = (await api.call(account.beginSecondFactor, {}, { as: ines, body: { current_password: password } })).body
    await api.call(account.confirmSecondFactor, {}, { as: ines, body: { code: appCode(api, secret) } })
    api.advance(30)
    expect(problems(await ask())).toEqual(['code: required'])
    expect(problems(await ask({ code: '000000' }))).toEqual(['code: wrong'])
    expect(await pending()).toBeNull()
    expect((await ask({ code: appCode(api, secret) })).status).toBe(200)
  })

  it('is refused for the present address, for what is none, and for an account that a company account signs in to', async () => {
    expect(problems(await ask({ email: ines.email.toUpperCase() }))).toEqual(['email: same'])
    expect(problems(await ask({ email: 'nobody' }))).toEqual(['email: email'])
    await createTestObjects(api.deps).identity(ines.id)
    expect((await ask()).error.code).toBe('identity_connected')
    expect(api.sent.some(({ to }) => to === wanted)).toBe(false)
  })
})
