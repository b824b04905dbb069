import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createCheckout } from '../../../contract/subscriptions'
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
