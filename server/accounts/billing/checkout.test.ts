import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createCheckout } from '../../../contract/accounts/subscriptions'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { newRow } from '../../core/database/row'
import { subscriptions } from '../schema/billing'

let api: TestApi
beforeAll(async () => void (api = await createTestApi({ STRIPE_SECRET_KEY: 'sk_test_of_a_test' })))
afterAll(() => api.close())
afterEach(() => vi.unstubAllGlobals())

/** Stripe's answers to new checkouts: one session for each idempotency key, and an error if its parameters differ. */
const stripe = () => {
  const sessions = new Map<string, { body: string; url: string }>()
  vi.stubGlobal('fetch', async (url: string, { headers, body }: { headers: HeadersInit; body: string }) => {
    expect(url).toBe('https://api.stripe.com/v1/checkout/sessions')
    const key = new Headers(headers).get('idempotency-key') ?? crypto.randomUUID()
    const known = sessions.get(key) ?? { body, url: `https://checkout.stripe.com/c/pay/${sessions.size}` }
    sessions.set(key, known)
    if (known.body === body) return Response.json({ id: 'cs_1', object: 'checkout.session', url: known.url })
    const message = 'Keys for idempotent requests can only be used with the same parameters they were first used with.'
    return Response.json({ error: { type: 'idempotency_error', message } }, { status: 400 })
  })
  return sessions
}

const path = '/account/settings/subscriptions'
const open = (as: Person, organizationId: string | null, success_path = path) =>
  api.call(createCheckout, {}, { as, body: { organization_id: organizationId, success_path, cancel_path: path } })

it('two people who subscribe one organization at the same time pay at the same checkout', async () => {
  const sessions = stripe()
  const owner = await api.person({ plan: 'developer' })
  const { id, publicId } = await api.organization(owner, 'Grove', 'developer')
  const billing = await api.member(id, 'billing')
  const [one, other] = await Promise.all([open(owner, publicId), open(billing, publicId)])
  expect([one.status, other.status, one.body.url]).toEqual([200, 200, other.body.url])
  const { publicId: another } = await api.organization(owner, 'Nursery', 'developer')
  expect((await open(owner, another)).body.url).not.toBe(one.body.url)
  expect((await open(owner, null)).status).toBe(200)
  expect(sessions.size).toBe(3)
})

it('a checkout that differs from one that is open for the account is refused', async () => {
  stripe()
  const person = await api.person({ plan: 'developer' })
  expect((await open(person, null)).status).toBe(200)
  const refused = await open(person, null, '/organizations')
  expect([refused.status, refused.error.code, refused.error.message]).toEqual([
    409,
    'conflict',
    'A checkout for this account was opened today. Finish it, or try again tomorrow',
  ])
})

it('an account whose subscription has ended gets a new checkout on the same day, and every account on the next one', async () => {
  stripe()
  const person = await api.person({ plan: 'developer' })
  const first = await open(person, null)
  const now = api.deps.clock()
  await api.db.insert(subscriptions).values({
    ...newRow(now),
    userId: person.id,
    customerId: 'cus_1',
    providerId: 'sub_ended',
    plan: 'developer',
    state: 'canceled',
    priceId: 'price',
    quantity: 1,
    cancelAtPeriodEnd: false,
    invoices: [],
    startedAt: now,
    happenedAt: now,
  })
  const second = await open(person, null)
  expect(second.body.url).not.toBe(first.body.url)
  // A session ends when it is idle for half a day.
  const urls: string[] = []
  for (let third = 0; third < 3; third++) {
    api.advance(28_800)
    urls.push((await open(person, null)).body.url)
  }
  expect([first.body.url, second.body.url]).not.toContain(urls.at(-1))
})

it('a checkout of before midnight is still the one of after it, and ends at most half an hour after the next one begins', async () => {
  const sessions = stripe()
  const minutesTo = (hour: number) =>
    (new Date(api.deps.clock()).setUTCHours(hour, 0, 0, 0) - api.deps.clock().getTime()) / 60_000
  api.advance((minutesTo(23) + 1440) * 60 + 1200)
  const person = await api.person({ plan: 'developer' })
  const ends: number[] = []
  const urls = new Set<string>()
  // From 23:20 to 00:20.
  for (let minutes = 0; minutes < 60; minutes += 5) {
    urls.add((await open(person, null)).body.url)
    const bodies = [...sessions.values()].map(({ body }) => Number(new URLSearchParams(body).get('expires_at')) * 1000)
    ends.push(...bodies.slice(ends.length))
    const now = api.deps.clock().getTime()
    if (ends.length === 2 && urls.size === 2) expect((ends[0] ?? 0) - now).toBeLessThanOrEqual(35 * 60_000)
    expect((ends.at(-1) ?? 0) - now).toBeGreaterThan(30 * 60_000)
    expect((ends.at(-1) ?? 0) - now).toBeLessThanOrEqual(86_400_000)
    api.advance(300)
  }
  expect([urls.size, sessions.size]).toEqual([2, 2])
})
