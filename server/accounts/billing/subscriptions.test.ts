import { eq, sql } from 'drizzle-orm'
import fc from 'fast-check'
import { Stripe } from 'stripe'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { billingPairs } from '../../../contract/accounts/billing'
import { organizationAuditLog } from '../../../contract/accounts/audit'
import { createOrganization, deleteOrganization, organization, updateOrganization } from '../../../contract/accounts/organization'
import { personalProjects } from '../../../contract/accounts/projects'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { createCheckout, receiveBillingEvent, subscriptions } from '../../../contract/accounts/subscriptions'
import { self } from '../../../contract/accounts/users'
import '../../../tests/support/fixed-seed'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { readConfig } from '../../core/config'
import { organizations } from '../schema/organizations'
import { mails } from '../../core/database/schema/plumbing'
import { users } from '../schema/people'
import { portalOf, priceOf } from './stripe'

const secret = 'whsec_of_a_test'
const { price } = billingPairs.test
let api: TestApi
beforeAll(async () => {
  api = await createTestApi({ STRIPE_WEBHOOK_SECRET: secret })
})
afterAll(() => api.close())

const seconds = () => Math.floor(api.deps.clock().getTime() / 1000)
let made = 0
const eventOf = (type: string, object: Record<string, unknown>, created = seconds()) => ({
  id: `evt_${String((made += 1)).padStart(6, '0')}`,
  type,
  created,
  data: { object },
})
type Event = ReturnType<typeof eventOf>

const signed = (payload: string, timestamp = seconds(), by = secret) =>
  Stripe.webhooks.generateTestHeaderString({ payload, secret: by, timestamp })

const post = async (payload: string, signature: string | undefined) => {
  const answer = await api.app.inject({
    method: 'POST',
    url: '/billing/events',
    headers: {
      host: new URL(api.config.urls.api).host,
      'content-type': 'application/json',
      ...(signature !== undefined && { 'stripe-signature': signature }),
    },
    payload,
  })
  return { status: answer.statusCode, body: answer.json() as { outcome?: string; error?: { code: string } } }
}
const deliverEvent = async (event: Event) => {
  const payload = JSON.stringify(event)
  const { status, body } = await post(payload, signed(payload))
  expect(status, JSON.stringify(body)).toBe(200)
  return body.outcome
}

const subscriptionOf = (space: string, changes: Record<string, unknown> = {}) => ({
  id: `sub_${space.replace(':', '_')}`,
  customer: 'cus_1',
  status: 'active',
  cancel_at_period_end: false,
  metadata: { space },
  default_payment_method: { card: { brand: 'visa', last4: '4242' } },
  items: { data: [{ price: { id: price }, quantity: 1, current_period_end: seconds() + 86_400 }] },
  ...changes,
})
const personOnDeveloper = () => api.person({ plan: 'developer' })
const planOf = async (person: Person) => (await api.call(self, {}, { as: person })).body.data.pricing_plan
const seenBy = async (person: Person) => (await api.call(subscriptions, {}, { as: person })).body.subscriptions

describe('the webhook', () => {
  it('accepts an event only with a signature over its exact bytes', async () => {
    const person = await personOnDeveloper()
    const payload = JSON.stringify(eventOf('customer.subscription.created', subscriptionOf(`user:${person.id}`)))
    const refused = [
      await post(payload, undefined),
      await post(payload, 't=1,v1=00'),
      await post(payload, signed(payload, seconds(), 'whsec_of_somebody_else')),
      await post(payload.replace('"active"', '"trialing"'), signed(payload)),
      // The same values with other whitespace are other bytes.
      await post(`${payload} `, signed(payload)),
      // Older than the tolerance: a replayed delivery.
      await post(payload, signed(payload, seconds() - 301)),
    ]
    for (const { status, body } of refused) expect([status, body.error?.code]).toEqual([400, 'bad_signature'])
    expect(await planOf(person)).toBe('developer')
    expect((await post(payload, signed(payload, seconds() - 299))).body.outcome).toBe('applied')
    expect(await planOf(person)).toBe('production')
  })

  it('applies each event once, also when it arrives several times at the same time', async () => {
    const person = await personOnDeveloper()
    const event = eventOf('customer.subscription.created', subscriptionOf(`user:${person.id}`))
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => deliverEvent(event)))
    expect(outcomes.toSorted()).toEqual(['applied', ...Array.from({ length: 7 }, () => 'repeated')])
    // A replay does not undo the newer state.
    await deliverEvent(eventOf('customer.subscription.deleted', subscriptionOf(`user:${person.id}`), seconds() + 1))
    expect(await deliverEvent(event)).toBe('repeated')
    expect(await planOf(person)).toBe('developer')
  })

  it('applies events in the order of their time, not of their arrival', async () => {
    const person = await personOnDeveloper()
    const space = `user:${person.id}`
    const at = seconds()
    const created = eventOf('customer.subscription.created', subscriptionOf(space), at)
    const pastDue = eventOf('customer.subscription.updated', subscriptionOf(space, { status: 'past_due' }), at + 10)
    const paid = eventOf('customer.subscription.updated', subscriptionOf(space), at + 20)
    const ended = eventOf('customer.subscription.deleted', subscriptionOf(space, { status: 'canceled' }), at + 30)
    expect([await deliverEvent(paid), await deliverEvent(pastDue), await deliverEvent(created)]).toEqual([
      'applied',
      'outdated',
      'outdated',
    ])
    expect((await seenBy(person))[0]).toMatchObject({ state: 'active', plan: 'production' })
    expect(await deliverEvent(ended)).toBe('applied')
    // The end of a subscription is final, whatever is reported later.
    const late = eventOf('customer.subscription.updated', subscriptionOf(space), at + 40)
    expect(await deliverEvent(late)).toBe('outdated')
    expect(await planOf(person)).toBe('developer')
    // A new subscription replaces it, and the end of the old one does not end the new one.
    const again = subscriptionOf(space, { id: 'sub_again' })
    expect(await deliverEvent(eventOf('customer.subscription.created', again, at + 50))).toBe('applied')
    const endedTwice = eventOf('customer.subscription.deleted', subscriptionOf(space), at + 60)
    expect([await deliverEvent(endedTwice), await planOf(person)]).toEqual(['outdated', 'production'])
  })

  it('keeps the current subscription when an older one of the account reports a change later', async () => {
    const person = await personOnDeveloper()
    const space = `user:${person.id}`
    const at = seconds()
    const older = { created: at, id: 'sub_older' }
    const newer = subscriptionOf(space, { created: at + 50, id: 'sub_newer' })
    const updated = (changes: object, after: number) =>
      eventOf('customer.subscription.updated', subscriptionOf(space, { ...older, ...changes }), at + after)
    await deliverEvent(eventOf('customer.subscription.created', newer, at + 50))
    // Neither a report from before the end of the older one, nor one of after the start of the newer one.
    expect(await deliverEvent(updated({ status: 'past_due' }, 60))).toBe('outdated')
    expect(await deliverEvent(updated({ status: 'unpaid' }, 40))).toBe('outdated')
    expect((await seenBy(person))[0]).toMatchObject({ state: 'active', plan: 'production' })
    const ended = eventOf('customer.subscription.deleted', { ...newer, status: 'canceled' }, at + 70)
    expect(await deliverEvent(ended)).toBe('applied')
    // The older one still runs and is paid for.
    expect((await seenBy(person))[0]).toMatchObject({ state: 'past_due', plan: 'production' })
    expect(await deliverEvent(updated({ status: 'canceled' }, 80))).toBe('applied')
    expect((await seenBy(person))[0]).toMatchObject({ state: 'canceled', plan: 'developer' })
  })

  it('comes to the same subscription, plan and invoices in whatever order the events of one second arrive', async () => {
    const at = seconds()
    const sent = (space: string) => {
      const first = { id: `sub_first_${space}`, created: at }
      const second = { id: `sub_second_${space}`, created: at + 1 }
      const of = (type: string, changes: object, after: number) =>
        eventOf(`customer.subscription.${type}`, subscriptionOf(space, { ...changes }), at + after)
      const invoice = { id: `in_${space}`, number: `N-${space}`, created: at, amount_due: 4900, currency: 'eur' }
      return [
        of('created', { ...first, status: 'incomplete' }, 0),
        of('updated', first, 0),
        of('updated', { ...first, cancel_at_period_end: true }, 0),
        of('deleted', { ...first, status: 'canceled' }, 0),
        of('created', { ...second, status: 'incomplete' }, 1),
        of('updated', { ...second, items: { data: [{ price: { id: price }, quantity: 3 }] } }, 1),
        eventOf('invoice.finalized', { ...invoice, subscription: second.id }, at + 1),
        eventOf('invoice.paid', { ...invoice, subscription: second.id }, at + 1),
      ]
    }
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7], { minLength: 8 }), async (order) => {
        const person = await personOnDeveloper()
        const events = sent(`user:${person.id}`)
        for (const n of order) {
          const event = events[n]
          if (event) await deliverEvent(event)
        }
        expect((await seenBy(person))[0]).toMatchObject({
          state: 'active',
          plan: 'production',
          quantity: 3,
          invoices: [{ number: `N-user:${person.id}`, state: 'paid' }],
        })
      }),
      { numRuns: 40 },
    )
  })

  it('keeps an invoice that arrives before its subscription, also if both arrive at the same time', async () => {
    const invoiceOf = (subscription: string) => ({
      id: `in_of_${subscription}`,
      created: seconds(),
      amount_due: 4900,
      currency: 'eur',
      subscription,
    })
    const early = await personOnDeveloper()
    const sub = subscriptionOf(`user:${early.id}`)
    expect(await deliverEvent(eventOf('invoice.paid', invoiceOf(sub.id)))).toBe('waiting')
    expect(await deliverEvent(eventOf('customer.subscription.created', sub))).toBe('applied')
    expect((await seenBy(early))[0]?.invoices).toMatchObject([{ state: 'paid', amount_minor: 4900 }])
    const people = await Promise.all(Array.from({ length: 10 }, personOnDeveloper))
    await Promise.all(
      people.flatMap(({ id }) => [
        deliverEvent(eventOf('invoice.paid', invoiceOf(`sub_user_${id}`))),
        deliverEvent(eventOf('customer.subscription.created', subscriptionOf(`user:${id}`))),
      ]),
    )
    for (const one of people) expect((await seenBy(one))[0]?.invoices).toMatchObject([{ state: 'paid' }])
    expect(await deliverEvent(eventOf('invoice.paid', { ...invoiceOf(''), subscription: null }))).toBe('ignored')
  })

  it('ignores unknown event types, billing accounts and prices', async () => {
    const person = await personOnDeveloper()
    const space = `user:${person.id}`
    expect(await deliverEvent(eventOf('customer.created', { id: 'cus_1' }))).toBe('ignored')
    expect(await deliverEvent(eventOf('customer.subscription.created', { id: 'sub_odd' }))).toBe('ignored')
    expect(await deliverEvent(eventOf('customer.subscription.created', subscriptionOf('user:nobody')))).toBe('ignored')
    const cheap = { items: { data: [{ price: { id: 'price_of_something_else' } }] } }
    expect(await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(space, cheap)))).toBe('applied')
    expect(await planOf(person)).toBe('developer')
  })

  it('is disabled where neither a secret nor the stand-in is configured', async () => {
    const closed = await createTestApi({ TEASEL_ENVIRONMENT: 'production' })
    const reply = await closed.app.inject({
      method: 'POST',
      url: receiveBillingEvent.path,
      headers: { host: new URL(closed.config.urls.api).host, 'content-type': 'application/json' },
      payload: JSON.stringify(eventOf('customer.created', {})),
    })
    expect([reply.statusCode, reply.json().error.code]).toEqual([503, 'unavailable'])
    await closed.close()
  })
})

describe('a subscription', () => {
  it('of an organization changes its plan alone, and the audit log says what the provider did', async () => {
    const owner = await personOnDeveloper()
    const { publicId } = await api.organization(owner, 'Nursery', 'developer')
    expect(await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(`organization:${publicId}`)))).toBe(
      'applied',
    )
    expect((await api.call(organization, { organizationId: publicId }, { as: owner })).body.plan).toBe('production')
    expect(await planOf(owner)).toBe('developer')
    const { body } = await api.call(organizationAuditLog, { organizationId: publicId }, { as: owner })
    const [entry] = body.entries
    expect(entry).toMatchObject({
      action: 'subscription.change',
      actor: { kind: 'system', name: 'billing' },
      reason: 'customer.subscription.created',
      target: { kind: 'subscription', name: 'Nursery' },
    })
    expect(entry?.changes).toContainEqual({ field: 'plan', before: 'developer', after: 'production' })
  })

  it('of an organization keeps it from being deleted until it is cancelled or has ended', async () => {
    const owner = await personOnDeveloper()
    const states = [
      [{}, 409],
      [{ status: 'past_due' }, 409],
      [{ status: 'unpaid' }, 409],
      [{ cancel_at_period_end: true }, 204],
      [{ status: 'canceled' }, 204],
    ] as const
    for (const [changes, status] of states) {
      const { publicId } = await api.organization(owner, 'Nursery', 'developer')
      const subscribed = subscriptionOf(`organization:${publicId}`, changes)
      expect(await deliverEvent(eventOf('customer.subscription.created', subscribed))).toBe('applied')
      const params = { organizationId: publicId }
      const { revision } = (await api.call(organization, params, { as: owner })).body
      const body = { confirm_name: 'Nursery' }
      const reply = await api.call(deleteOrganization, params, { as: owner, body, headers: { 'if-match': `"${revision}"` } })
      expect(reply.status, JSON.stringify(changes)).toBe(status)
      if (status !== 409) continue
      expect(reply.error).toMatchObject({ code: 'has_subscription', message: expect.stringContaining('Cancel the subscription') })
    }
  })

  it('of an organization that was deleted during the checkout is logged until it is cancelled, since no page here shows the payments', async () => {
    const owner = await personOnDeveloper()
    const { publicId } = await api.organization(owner, 'Nursery', 'developer')
    const params = { organizationId: publicId }
    const { revision } = (await api.call(organization, params, { as: owner })).body
    const body = { confirm_name: 'Nursery' }
    await api.call(deleteOrganization, params, { as: owner, body, headers: { 'if-match': `"${revision}"` } })
    const reference = `organization:${publicId}`
    const sub = subscriptionOf(reference)
    const logged = () =>
      api.lines
        .filter((line) => line.includes(reference) && line.includes('account that does not exist'))
        .map((line) => JSON.parse(line))
    expect(await deliverEvent(eventOf('customer.subscription.created', sub))).toBe('ignored')
    expect(logged()).toMatchObject([{ level: 50, reference, subscription: sub.id, customer: 'cus_1' }])
    await deliverEvent(eventOf('customer.subscription.updated', { ...sub, cancel_at_period_end: true }))
    await deliverEvent(eventOf('customer.subscription.deleted', { ...sub, status: 'canceled' }))
    await deliverEvent(eventOf('customer.subscription.created', { ...sub, id: 'sub_of_another_product', metadata: {} }))
    expect(logged()).toHaveLength(1)
  })

  it('of an organization lets it keep its audit log longer, unless it chose fewer days', async () => {
    const owner = await personOnDeveloper()
    const daysAfterUpgrade = async (chosen?: number) => {
      const { publicId } = await api.organization(owner, 'Nursery', 'developer')
      const params = { organizationId: publicId }
      const before = (await api.call(organization, params, { as: owner })).body
      if (chosen !== undefined) {
        const body = { settings: { audit_retention_days: chosen } }
        const changed = await api.call(updateOrganization, params, {
          as: owner,
          body,
          headers: { 'if-match': `"${before.revision}"` },
        })
        expect(changed.status, changed.text).toBe(200)
      }
      const sub = subscriptionOf(`organization:${publicId}`)
      expect(await deliverEvent(eventOf('customer.subscription.created', sub))).toBe('applied')
      const days = async () => (await api.call(organization, params, { as: owner })).body.settings.audit_retention_days
      const raised = await days()
      expect(await deliverEvent(eventOf('customer.subscription.deleted', { ...sub, status: 'canceled' }, seconds() + 1))).toBe(
        'applied',
      )
      // What the lower plan ends is counted, not stored: the next upgrade brings it back.
      expect(await days()).toBe(raised)
      return raised
    }
    expect(await daysAfterUpgrade()).toBe(365)
    expect(await daysAfterUpgrade(60)).toBe(60)
  })

  it('of an organization that ends and is bought again brings back the days of its audit log that it had chosen', async () => {
    const owner = await personOnDeveloper()
    const { publicId } = await api.organization(owner, 'Nursery', 'developer')
    const params = { organizationId: publicId }
    const read = async () => (await api.call(organization, params, { as: owner })).body
    const reference = `organization:${publicId}`
    const sub = subscriptionOf(reference)
    await deliverEvent(eventOf('customer.subscription.created', sub))
    const headers = { 'if-match': `"${(await read()).revision}"` }
    const body = { settings: { audit_retention_days: 200 } }
    expect((await api.call(updateOrganization, params, { as: owner, body, headers })).status).toBe(200)
    await deliverEvent(eventOf('customer.subscription.deleted', { ...sub, status: 'canceled' }, seconds() + 1))
    expect((await read()).plan).toBe('developer')
    await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(reference, { id: 'sub_again' }), seconds() + 2))
    expect((await read()).plan).toBe('production')
    expect((await read()).settings.audit_retention_days).toBe(200)
  })

  it('that is unpaid keeps the plan while payment is retried, and lists its invoices', async () => {
    const person = await personOnDeveloper()
    const sub = subscriptionOf(`user:${person.id}`)
    await deliverEvent(eventOf('customer.subscription.created', sub))
    const invoice = {
      id: 'in_1',
      number: 'TSL-1',
      created: seconds(),
      amount_due: 4900,
      currency: 'eur',
      hosted_invoice_url: 'javascript:alert(1)',
      parent: { subscription_details: { subscription: sub.id } },
    }
    await deliverEvent(eventOf('invoice.payment_failed', invoice))
    await deliverEvent(eventOf('customer.subscription.updated', { ...sub, status: 'past_due' }))
    expect((await seenBy(person))[0]).toMatchObject({
      plan: 'production',
      state: 'past_due',
      payment_method: { brand: 'visa', last4: '4242' },
      invoices: [{ number: 'TSL-1', amount_minor: 4900, state: 'failed', url: null }],
    })
    expect(await deliverEvent(eventOf('invoice.paid', invoice))).toBe('applied')
    expect(await deliverEvent(eventOf('invoice.payment_failed', invoice))).toBe('outdated')
    expect((await seenBy(person))[0]?.invoices).toMatchObject([{ state: 'paid' }])
  })

  it('gives no paid plan while it is unpaid or paused, and gives it again once it is paid or resumed', async () => {
    for (const status of ['unpaid', 'paused']) {
      const person = await personOnDeveloper()
      const sub = subscriptionOf(`user:${person.id}`)
      await deliverEvent(eventOf('customer.subscription.created', sub))
      await deliverEvent(eventOf('customer.subscription.updated', { ...sub, status }, seconds() + 1))
      expect((await seenBy(person))[0], status).toMatchObject({ plan: 'developer', state: 'none' })
      expect(await deliverEvent(eventOf('customer.subscription.updated', sub, seconds() + 2)), status).toBe('applied')
      expect((await seenBy(person))[0], status).toMatchObject({ plan: 'production', state: 'active' })
    }
  })

  it('that fails to be paid or ends is told once by mail to those who can pay, with what is deleted', async () => {
    const owner = await api.person()
    const { id, publicId } = await api.organization(owner, 'Nursery', 'developer')
    const [payer, viewer] = [await api.member(id, 'billing'), await api.member(id, 'viewer')]
    const name = 'Nursery'
    const sub = subscriptionOf(`organization:${publicId}`)
    const subjectsTo = async ({ email }: Person) =>
      (await api.db.select().from(mails).where(eq(mails.to, email)).orderBy(mails.id)).map(({ subject }) => subject)
    await deliverEvent(eventOf('customer.subscription.created', sub))
    expect(await subjectsTo(payer)).toEqual([])
    for (const later of [1, 2])
      await deliverEvent(eventOf('customer.subscription.updated', { ...sub, status: 'past_due' }, seconds() + later))
    expect(await subjectsTo(payer)).toEqual([`Teasel: The payment for ${name} failed`])
    await deliverEvent(eventOf('customer.subscription.deleted', sub, seconds() + 3))
    const both = [`Teasel: The payment for ${name} failed`, `Teasel: The production plan of ${name} has ended`]
    expect([await subjectsTo(owner), await subjectsTo(payer), await subjectsTo(viewer)]).toEqual([both, both, []])
  })

  it('that ends keeps existing items and refuses only new ones, naming the plan they need', async () => {
    const person = await personOnDeveloper()
    await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(`user:${person.id}`)))
    for (const name of ['One', 'Two', 'Three', 'Four'])
      expect((await api.call(createPersonalProject, {}, { as: person, body: { name } })).status).toBe(201)
    await deliverEvent(eventOf('customer.subscription.deleted', subscriptionOf(`user:${person.id}`), seconds() + 1))
    expect((await api.call(personalProjects, {}, { as: person })).body.projects).toHaveLength(4)
    expect((await seenBy(person))[0]).toMatchObject({ plan: 'developer', usage: { projects: 4 }, limits: { projects: 3 } })
    const refused = await api.call(createPersonalProject, {}, { as: person, body: { name: 'Five' } })
    expect(refused.status).toBe(402)
    expect(refused.error).toMatchObject({
      code: 'plan_limit',
      required_plan: 'production',
      about: { limit: 3, used: 4, plan: 'developer' },
      message:
        'The developer plan allows 3 projects, and 4 are in use. The production plan allows 100 projects. The owner can change the plan under Account, Subscriptions; in an organization, the roles that can: owner, billing.',
    })
  })

  it('of a person decides the plan of the organizations that they made on it, but not of those with their own subscription', async () => {
    const person = await personOnDeveloper()
    const space = `user:${person.id}`
    await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(space)))
    const make = async (name: string) => (await api.call(createOrganization, {}, { as: person, body: { name } })).body.public_id
    const [following, paying] = [await make('Follows'), await make('Pays')]
    await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(`organization:${paying}`)))
    const plans = () =>
      Promise.all(
        [following, paying].map(
          async (organizationId) => (await api.call(organization, { organizationId }, { as: person })).body.plan,
        ),
      )
    expect(await plans()).toEqual(['production', 'production'])
    await deliverEvent(eventOf('customer.subscription.deleted', subscriptionOf(space), seconds() + 1))
    expect(await plans()).toEqual(['developer', 'production'])
    const { body } = await api.call(organizationAuditLog, { organizationId: following }, { as: person })
    expect(body.entries[0]).toMatchObject({
      action: 'subscription.change',
      changes: [{ field: 'plan', before: 'production', after: 'developer' }],
    })
    const again = { ...subscriptionOf(space), id: `sub_again_${person.id}` }
    await deliverEvent(eventOf('customer.subscription.created', again, seconds() + 2))
    expect(await plans()).toEqual(['production', 'production'])
  })

  it('counts what is used as the refusals count it', async () => {
    const person = await personOnDeveloper()
    expect((await seenBy(person))[0]?.usage).toMatchObject({ organizations: 0, members: null, projects: 0 })
    await api.call(createOrganization, {}, { as: person, body: { name: 'Only one' } })
    const [own, theirs] = await seenBy(person)
    expect(own).toMatchObject({ scope: 'personal', usage: { organizations: 1 }, limits: { organizations: 1 } })
    expect(theirs).toMatchObject({ scope: 'organization', name: 'Only one', usage: { members: 1, organizations: null } })
  })
})

describe('who may subscribe', () => {
  const paths = { success_path: '/account/settings/subscriptions', cancel_path: '/account/settings/subscriptions' }

  it('for an organization: who manages its billing; others see the plan and neither card nor portal', async () => {
    const owner = await personOnDeveloper()
    const { id, publicId } = await api.organization(owner, 'Grove', 'developer')
    const body = { organization_id: publicId, ...paths }
    const viewer = await api.member(id, 'viewer')
    const billing = await api.member(id, 'billing')
    const refused = await api.call(createCheckout, {}, { as: viewer, body })
    expect([refused.status, refused.error.required_permission]).toEqual([403, 'organization:manage_billing'])
    expect((await api.call(createCheckout, {}, { as: await personOnDeveloper(), body })).status).toBe(404)
    const { body: checkout } = await api.call(createCheckout, {}, { as: billing, body })
    expect(checkout.url).toMatch(new RegExp(`^http://localhost:3000/billing\\?space=organization%3A${publicId}`))
    const seen = (await seenBy(viewer)).find((one) => one.organization_id === publicId)
    expect(seen).toMatchObject({ manageable: false, portal_url: null, payment_method: null, invoices: [] })
  })

  it('not without the second factor that the organization requires, from the first request after it was turned off', async () => {
    const owner = await personOnDeveloper()
    const { id, publicId } = await api.organization(owner, 'Vault', 'developer')
    const billing = await api.member(id, 'billing')
    const body = { organization_id: publicId, ...paths }
    const factor = (mfaEnabled: boolean) => api.db.update(users).set({ mfaEnabled }).where(eq(users.id, billing.id))
    const tried = async () => {
      const checkout = await api.call(createCheckout, {}, { as: billing, body })
      const seen = (await seenBy(billing)).find((one) => one.organization_id === publicId)
      return [checkout.status, checkout.error.code, seen?.manageable, seen?.portal_url === null]
    }
    const open = [200, '', true, false]
    const locked = [403, 'second_factor_required', false, true]
    expect(await tried()).toEqual(open)
    await api.db
      .update(organizations)
      .set({ settings: sql`${organizations.settings} || '{"require_mfa": true}'::jsonb` })
      .where(eq(organizations.id, id))
    expect(await tried()).toEqual(locked)
    await factor(true)
    expect(await tried()).toEqual(open)
    await factor(false)
    expect(await tried()).toEqual(locked)
    // A person's own account requires no second factor.
    expect((await api.call(createCheckout, {}, { as: billing, body: { organization_id: null, ...paths } })).status).not.toBe(403)
  })

  it('only once, and only at a price of the environment', async () => {
    const person = await personOnDeveloper()
    const other = { organization_id: null, price_id: billingPairs.live.price, ...paths }
    expect((await api.call(createCheckout, {}, { as: person, body: other })).error.details).toMatchObject([{ field: 'price_id' }])
    await deliverEvent(eventOf('customer.subscription.created', subscriptionOf(`user:${person.id}`)))
    expect((await api.call(createCheckout, {}, { as: person, body: { organization_id: null, ...paths } })).status).toBe(409)
  })

  it('says how many subscriptions an account pays for besides the current one, until they end', async () => {
    const person = await personOnDeveloper()
    const space = `user:${person.id}`
    const at = seconds()
    const first = subscriptionOf(space, { id: 'sub_of_one_tab', created: at })
    const second = subscriptionOf(space, { id: 'sub_of_another_tab', created: at + 1 })
    await deliverEvent(eventOf('customer.subscription.created', first, at))
    expect((await seenBy(person))[0]).toMatchObject({ plan: 'production', duplicates: 0 })
    await deliverEvent(eventOf('customer.subscription.created', second, at + 1))
    expect((await seenBy(person))[0]).toMatchObject({ plan: 'production', duplicates: 1 })
    await deliverEvent(eventOf('customer.subscription.deleted', { ...first, status: 'canceled' }, at + 2))
    expect((await seenBy(person))[0]).toMatchObject({ plan: 'production', state: 'active', duplicates: 0 })
  })

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/a b', '/\n'])(
    'and is never redirected to %j (T-08)',
    async (path) => {
      const person = await personOnDeveloper()
      const body = { organization_id: null, success_path: path, cancel_path: '/' }
      expect((await api.call(createCheckout, {}, { as: person, body })).status).toBe(422)
    },
  )
})

describe('T-34: price and portal are those of the environment', () => {
  const config = (variables: Record<string, string>) => readConfig({ TEASEL_DATA_DIR: '/nowhere', ...variables })
  it.each([
    ['local', billingPairs.test.price, 'http://localhost:3000/billing'],
    ['staging', billingPairs.test.price, billingPairs.test.portal],
    ['production', billingPairs.live.price, billingPairs.live.portal],
  ])('%s', (environment, itsPrice, portal) => {
    const read = config({ TEASEL_ENVIRONMENT: environment })
    expect([priceOf(read), portalOf(read)]).toEqual([itsPrice, portal])
  })
  it('or those that are configured', () => {
    const own = { TEASEL_BILLING_PRICE: 'price_own', TEASEL_BILLING_PORTAL: 'https://pay.example/p' }
    const read = config({ TEASEL_ENVIRONMENT: 'production', ...own })
    expect([priceOf(read), portalOf(read)]).toEqual(['price_own', 'https://pay.example/p'])
  })
  it('the billing stand-in is served only in the local environment on loopback', () => {
    expect(portalOf(config({ TEASEL_BIND: '0.0.0.0' }))).toBe(billingPairs.test.portal)
  })
})
