import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import type { EventType } from '../../contract/accounts/events'
import { project as projectEndpoint } from '../../contract/accounts/projects'
import { deleteProject, transferProject, updateProject } from '../../contract/accounts/project-changes'
import * as contract from '../../contract/accounts/webhooks'
import {
  cancelDeliveries,
  claimDeliveries,
  deleteDeliveriesOfDeletedWebhooks,
} from '../../server/accounts/webhooks/deliveries.repository'
import { deliverEvents } from '../../server/accounts/webhooks/deliver'
import { disableFailing } from '../../server/accounts/webhooks/disable'
import { signDelivery } from '../../server/accounts/webhooks/sign'
import { members } from '../../server/accounts/schema/organizations'
import { webhookDeliveries, webhooks } from '../../server/accounts/schema/webhooks'
import { auditEntries } from '../../server/core/database/schema/audit-entries.partitioned'
import { emitEvents } from '../../server/core/events/emit'
import { root } from '../../server/core/root'
import { sweepPlumbing } from '../../server/jobs'
import { formatTimestamp } from '../../server/core/timestamps'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { answerWith, hang, isSignedBy, openReceiver, type Receiver, verifyReceived } from '../support/webhook-receiver'
import { within } from '../support/machine-load'

let api: TestApi
beforeAll(async () => void (api = await createTestApi()))
afterAll(() => api.close())

let owner: Person
let projectId: string
let receiver: Receiver
beforeEach(async () => {
  // Receivers refuse a signature of another time than theirs.
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  owner = await api.person({ name: 'Ann' })
  projectId = await api.project({ ownerId: owner.id })
  receiver = await openReceiver()
})
afterEach(async () => {
  // Nothing of a test is sent in the next one.
  await api.db.delete(webhooks)
  await receiver.close()
})

const types: EventType[] = ['rollout.halted', 'rollout.started', 'device.offline']
const create = async (body: Partial<contract.NewWebhook> = {}) => {
  const made = await api.call(contract.createWebhook, { projectId }, { as: owner, body: { url: receiver.url, types, ...body } })
  expect(made.status, made.text).toBe(201)
  return made.body
}
const emit = (type: EventType | `${EventType}.many` = 'rollout.halted', name = 'Spring', id = projectId) =>
  emitEvents(api.db, [{ projectId: id, type, data: { rollout: { id: name, name } } } as never], api.deps.clock())
/** The session has ended after days. */
const comeBack = async () => void (owner = { ...owner, ...(await api.session(owner.id)) })
const run = () => deliverEvents(api.deps)
const listed = async () => (await api.call(contract.webhooks, { projectId }, { as: owner })).body.webhooks
const deliveriesOf = async (webhookId: string) =>
  (await api.call(contract.webhookDeliveries, { webhookId }, { as: owner })).body.deliveries
const post = (
  endpoint: typeof contract.disableWebhook | typeof contract.enableWebhook | typeof contract.testWebhook,
  webhookId: string,
) => api.call(endpoint as typeof contract.disableWebhook, { webhookId }, { as: owner })
const audited = async (action: string) =>
  (await api.db.select().from(auditEntries).where(eq(auditEntries.projectId, projectId))).filter((row) => row.action === action)

it('the secret of a webhook is shown once and stored encrypted, and the audit log names only the host of its URL', async () => {
  const made = await create({ url: `${receiver.url}/secret-path` })
  expect(made.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const [row] = await api.db.select().from(webhooks).where(eq(webhooks.id, made.id))
  expect(JSON.stringify(row)).not.toContain(made.secret.slice(10))
  const { text } = await api.call(contract.webhooks, { projectId }, { as: owner })
  expect(text).not.toContain(made.secret)
  expect(await listed()).toMatchObject([
    { state: 'active', types, maker: { name: 'Ann' }, secret_prefix: made.secret.slice(0, 10), failing_since: null },
  ])
  const entries = await audited('webhook.create')
  expect(entries).toMatchObject([{ target: { id: made.id, name: new URL(receiver.url).host } }])
  expect(JSON.stringify(entries)).not.toContain('secret-path')
})

it.each([
  ['https://10.0.0.1/', 'private_address'],
  ['https://[::ffff:10.0.0.1]/', 'private_address'],
  ['https://0xa9fea9fe/', 'private_address'],
  ['http://8.8.8.8/', 'insecure'],
  ['https://a:b@8.8.8.8/', 'url'],
  ['https://8.8.8.8/#a', 'url'],
  ['ftp://8.8.8.8/', 'url'],
  ['file:///etc/passwd', 'url'],
  ['teasel', 'url'],
  ['', 'url'],
])('a webhook to %s is refused with 422, also by a change of its URL', async (url, code) => {
  const reply = await api.call(contract.createWebhook, { projectId }, { as: owner, body: { url, types } })
  expect([reply.status, reply.error.details?.[0]?.field]).toEqual([422, 'url'])
  if (code !== 'url') expect(reply.error.details).toMatchObject([{ code }])
  const { id: webhookId } = await create()
  const headers = { 'if-match': '"1"' }
  const changed = await api.call(contract.updateWebhook, { webhookId }, { as: owner, body: { url }, headers })
  expect([changed.status, changed.error.details?.[0]?.field]).toEqual([422, 'url'])
})

it('outside the local environment this machine is private too, unless TEASEL_WEBHOOK_ALLOW names it', async () => {
  const strict = await createTestApi({ TEASEL_ENVIRONMENT: 'staging', TEASEL_WEBHOOK_ALLOW: '10.1.0.0/16' })
  onTestFinished(() => strict.close())
  const ann = await strict.person()
  const own = await strict.project({ ownerId: ann.id })
  const statusOf = async (url: string) => {
    const { status, error } = await strict.call(contract.createWebhook, { projectId: own }, { as: ann, body: { url, types } })
    return status === 201 ? status : error.details?.[0]?.code
  }
  expect(await statusOf('https://127.0.0.1/')).toBe('private_address')
  expect(await statusOf('https://localhost/')).toBe('private_address')
  expect(await statusOf('http://localhost/')).toBe('private_address')
  expect(await statusOf('https://10.1.2.3/')).toBe(201)
  expect(await statusOf('http://10.1.2.3/')).toBe('insecure')
  expect(await statusOf('https://10.2.2.3/')).toBe('private_address')
})

it('a project has at most ten webhooks, also when two are made at once', async () => {
  for (let n = 0; n < 9; n++) await create()
  const body = { url: receiver.url, types }
  const replies = await Promise.all([1, 2].map(() => api.call(contract.createWebhook, { projectId }, { as: owner, body })))
  expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409])
  expect(replies.find(({ status }) => status === 409)?.error).toMatchObject({ code: 'too_many', about: { limit: 10, used: 10 } })
})

it('an event is sent to the webhooks of its project that want its type, signed, with what the event says', async () => {
  const { secret, id } = await create()
  await create({ types: ['release.ready'] })
  const other = await api.project({ ownerId: owner.id }, 'Elsewhere')
  await emit('rollout.started', 'elsewhere', other)
  await emit('release.released', 'not wanted')
  await emit('device.offline.many', 'summed')
  await emit('rollout.halted', 'Spring')
  await run()
  expect(receiver.received.map(({ event }) => event.type).toSorted()).toEqual(['device.offline.many', 'rollout.halted'])
  for (const one of receiver.received) {
    expect(verifyReceived(one, secret)).toEqual(one.event)
    expect(Object.keys(one.event)).toEqual(['type', 'timestamp', 'data'])
    expect(one.headers['content-type']).toBe('application/json')
  }
  const [halted] = receiver.received.filter(({ event }) => event.type === 'rollout.halted')
  expect(halted?.event).toMatchObject({ data: { rollout: { name: 'Spring' } }, timestamp: formatTimestamp(api.deps.clock()) })
  expect(() => halted && verifyReceived({ ...halted, body: halted.body.replace('Spring', 'Autumn') }, secret)).toThrow()
  const found = await deliveriesOf(id)
  expect(found).toHaveLength(2)
  expect(found.find(({ type }) => type === 'rollout.halted')).toMatchObject({
    event_id: halted?.id,
    state: 'succeeded',
    attempts: 1,
    next_attempt_at: null,
    request: { url: receiver.url, body: halted?.body },
    last_attempt: { status: 204, error: null, answer: '' },
  })
  expect((await listed())[0]).toMatchObject({ last_delivery_at: formatTimestamp(api.deps.clock()) })
})

it('an event of a change by a person is sent; one of a transaction that is not committed is not', async () => {
  const { secret } = await create({ types: ['project.settings_updated', 'rollout.halted'] })
  await api.db
    .transaction(async (tx) => {
      await emitEvents(tx, [{ projectId, type: 'rollout.halted', data: {} } as never], api.deps.clock())
      throw new Error('not committed')
    })
    .catch(() => {})
  const headers = { 'if-match': String((await api.call(projectEndpoint, { projectId }, { as: owner })).headers.etag) }
  const body = { settings: { polling_interval_s: 120 } } as never
  expect((await api.call(updateProject, { projectId }, { as: owner, body, headers })).status).toBe(200)
  await run()
  expect(receiver.received.map((one) => verifyReceived(one, secret))).toMatchObject([
    { type: 'project.settings_updated', data: { by: 'Ann', project: { id: projectId } } },
  ])
})

it('a failed delivery is retried after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, then its webhook is failing', async () => {
  const { id, secret } = await create()
  receiver.answers(answerWith(500, 'broken'))
  await emit()
  await run()
  const waits = [5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 10 * 3600, 14 * 3600, 20 * 3600, 24 * 3600]
  for (const [n, wait] of waits.entries()) {
    expect(receiver.received).toHaveLength(n + 1)
    expect(await deliveriesOf(id)).toMatchObject([
      { state: 'waiting', attempts: n + 1, last_attempt: { status: 500, answer: 'broken' } },
    ])
    expect(await listed()).toMatchObject([{ state: 'active' }])
    api.advance(wait - 1)
    await run()
    expect(receiver.received).toHaveLength(n + 1)
    api.advance(1)
    await comeBack()
    await run()
  }
  expect(receiver.received).toHaveLength(10)
  expect(new Set(receiver.received.map((one) => one.id + one.body)).size).toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10)
  expect(receiver.received.every((one) => isSignedBy(one, secret))).toBe(true)
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', attempts: 10, next_attempt_at: null }])
  expect(await listed()).toMatchObject([{ state: 'failing', state_reason: 'A delivery failed 10 times' }])
  api.advance(86_400)
  await run()
  expect(receiver.received).toHaveLength(10)

  await comeBack()
  receiver.answers(answerWith(204))
  await emit()
  await run()
  expect(await listed()).toMatchObject([{ state: 'active', state_reason: null, failing_since: null }])
})

it('a webhook with nothing but failures for five days is disabled, its maker gets a mail, and the audit log has it', async () => {
  const { id } = await create()
  receiver.answers(answerWith(503))
  for (let hours = 0; hours < 5 * 24; hours += 12) {
    await emit()
    await run()
    expect(await listed()).not.toMatchObject([{ state: 'disabled' }])
    api.advance(12 * 3600)
    await comeBack()
  }
  const before = api.sent.length
  await run()
  expect(await listed()).toMatchObject([{ state: 'disabled', state_reason: 'Nothing but failures for 5 days' }])
  await expect.poll(() => api.sent.slice(before)).toHaveLength(1)
  expect(api.sent[before]).toMatchObject({ to: owner.email, subject: 'Teasel: A webhook was disabled' })
  expect(api.sent[before]?.text).toContain(new URL(receiver.url).host)
  const path = `/organizations/none/projects/${projectId}/access/webhooks?webhook=${id}`
  expect(api.sent[before]?.text).toContain(`${api.config.urls.console}${path}\n`)
  expect(await audited('webhook.disable')).toMatchObject([
    { actor: { kind: 'system' }, target: { id }, reason: 'Nothing but failures for 5 days' },
  ])
  expect((await deliveriesOf(id)).map(({ state, next_attempt_at }) => [state, next_attempt_at])).not.toContainEqual(
    expect.arrayContaining(['waiting']),
  )
  const attempted = receiver.received.length
  await emit()
  api.advance(86_400)
  await run()
  expect(receiver.received).toHaveLength(attempted)
})

it('the mail about a disabled webhook goes to those who may enable it if its maker has left', async () => {
  const organization = await api.organization(owner)
  const id = await api.project({ organizationId: organization.id }, 'Gateways')
  const [maker, admin, viewer] = [
    await api.member(organization.id, 'admin'),
    await api.member(organization.id, 'admin'),
    await api.member(organization.id, 'viewer'),
  ]
  const body = { url: receiver.url, types }
  const made = (await api.call(contract.createWebhook, { projectId: id }, { as: maker, body })).body
  await api.db.delete(members).where(eq(members.userId, maker.id))
  const before = api.sent.length
  await disableFailing(api.deps, made.id, 'Nothing but failures for 5 days', api.deps.clock())
  await expect.poll(() => api.sent.length).toBe(before + 2)
  const told = api.sent.slice(before)
  expect(told.map(({ to }) => to).toSorted()).toEqual([owner.email, admin.email].toSorted())
  expect(told[0]?.text).toContain(`/organizations/${organization.publicId}/projects/${id}/access/webhooks?webhook=${made.id}\n`)
  expect(api.sent.filter(({ to }) => [maker.email, viewer.email].includes(to))).toEqual([])
})

it('one success within the five days keeps a webhook from being disabled', async () => {
  await create()
  for (let hours = 0; hours < 8 * 24; hours += 24) {
    receiver.answers(answerWith(hours === 72 ? 204 : 500))
    await emit()
    await run()
    api.advance(86_400)
  }
  await comeBack()
  expect(await listed()).not.toMatchObject([{ state: 'disabled' }])
})

it('a disabled webhook gets nothing; enabled again it gets the events from then on', async () => {
  const { id } = await create()
  receiver.answers(answerWith(500))
  await emit('rollout.halted', 'before')
  await run()
  expect((await post(contract.disableWebhook, id)).body).toMatchObject({ state: 'disabled', state_reason: null })
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'cancelled', next_attempt_at: null, attempts: 1 }])
  expect((await post(contract.testWebhook, id)).status).toBe(409)
  const [delivery] = await deliveriesOf(id)
  const resent = await api.call(contract.resendDelivery, { webhookDeliveryId: delivery?.id ?? '' }, { as: owner })
  expect([resent.status, resent.error.message]).toEqual([409, 'The webhook is disabled: enable it first'])
  await emit('rollout.halted', 'meanwhile')
  receiver.received.length = 0
  receiver.answers(answerWith(204))
  expect((await post(contract.enableWebhook, id)).body).toMatchObject({ state: 'active' })
  api.advance(3600)
  await emit('rollout.halted', 'after')
  await run()
  expect(receiver.received.map(({ event }) => event.data)).toEqual([{ rollout: { id: 'after', name: 'after' } }])
  await post(contract.enableWebhook, id)
  expect((await audited('webhook.enable')).length).toBe(1)
})

it('the job cancels what is waiting for a disabled webhook', async () => {
  const { id } = await create()
  await emit()
  await post(contract.disableWebhook, id)
  await run()
  expect(receiver.received).toEqual([])
  expect(await api.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id))).toMatchObject([
    { state: 'cancelled', nextTryAt: null },
  ])
})

it('after a rotation both secrets sign until the overlap ends; without an overlap only the new one', async () => {
  const { id, secret: first } = await create()
  const rotate = async (overlap_s: number) =>
    (await api.call(contract.rotateWebhookSecret, { webhookId: id }, { as: owner, body: { overlap_s } })).body
  const sent = async () => {
    await emit()
    await run()
    const last = receiver.received.at(-1)
    if (!last) throw new Error('nothing was received')
    return last
  }
  const { secret: second, previous_secret_until } = await rotate(3600)
  expect(previous_secret_until).toBe(formatTimestamp(new Date(api.deps.clock().getTime() + 3_600_000)))
  const both = await sent()
  expect(String(both.headers['webhook-signature']).split(' ')).toHaveLength(2)
  expect([isSignedBy(both, first), isSignedBy(both, second)]).toEqual([true, true])
  api.advance(3600)
  const one = await sent()
  expect([isSignedBy(one, first), isSignedBy(one, second)]).toEqual([false, true])
  expect(await listed()).toMatchObject([{ previous_secret_until: null }])
  const { secret: third } = await rotate(0)
  const last = await sent()
  expect([first, second, third].map((secret) => isSignedBy(last, secret))).toEqual([false, false, true])
  expect(await audited('webhook.rotate')).toHaveLength(2)
})

it('a test is sent once, and its failure does not count; a delivery can be sent again with the same webhook-id', async () => {
  const { id } = await create()
  receiver.answers(answerWith(400, 'what is this'))
  expect((await post(contract.testWebhook, id)).body).toMatchObject({ state: 'waiting', type: 'webhook.test' })
  await run()
  expect(receiver.received.map(({ event }) => event)).toMatchObject([{ type: 'webhook.test', data: { by: 'Ann' } }])
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', attempts: 1, last_attempt: { answer: 'what is this' } }])
  expect(await listed()).toMatchObject([{ state: 'active', failing_since: null }])

  receiver.answers(answerWith(204))
  api.advance(1)
  await emit('rollout.halted', 'Spring')
  await run()
  const [delivery] = await deliveriesOf(id)
  const again = await api.call(contract.resendDelivery, { webhookDeliveryId: delivery?.id ?? '' }, { as: owner })
  expect([again.status, again.body.event_id, again.body.id === delivery?.id]).toEqual([201, delivery?.event_id, false])
  await run()
  const [, original, copy] = receiver.received
  expect([copy?.id, copy?.body]).toEqual([original?.id, original?.body])
  expect(await deliveriesOf(id)).toHaveLength(3)
})

it('a receiver that hangs does not delay other webhooks', async () => {
  const slow = await openReceiver()
  slow.answers(hang)
  const { id: slowId } = await create({ url: slow.url })
  await create()
  for (let n = 0; n < 40; n++) await emit()
  const over = run()
  await expect.poll(() => receiver.received.length, { timeout: within(30_000) }).toBe(40)
  expect(slow.received).toHaveLength(8)
  expect(new Set((await deliveriesOf(slowId)).map(({ last_attempt }) => last_attempt))).toEqual(new Set([null]))
  await post(contract.disableWebhook, slowId)
  await slow.close()
  await over
})

it('a delivery whose process was killed during the attempt is attempted by another after 20 seconds', async () => {
  const { id } = await create()
  await emit()
  const free = { all: 10, ofWebhook: 10, ofFailing: 10, busy: new Map() }
  expect(await claimDeliveries(api.db, api.deps.clock(), free, 20)).toHaveLength(1)
  api.advance(19)
  await run()
  expect(receiver.received).toHaveLength(0)
  api.advance(1)
  await Promise.all([run(), run()])
  expect(receiver.received).toHaveLength(1)
  expect(await deliveriesOf(id)).toMatchObject([{ attempts: 1, state: 'succeeded' }])
})

it('a failure that is found after the webhook or its secret changed does harm to neither', async () => {
  const { id } = await create()
  let arrived = () => {}
  const waiting = new Promise<void>((resolve) => (arrived = resolve))
  let answer = () => {}
  receiver.answers((response) => {
    answer = () => response.writeHead(500).end()
    arrived()
  })
  await emit()
  const over = run()
  await waiting
  await api.call(contract.deleteWebhook, { webhookId: id }, { as: owner })
  answer()
  await over
  expect(api.lines.filter((line) => line.includes('"level":50'))).toEqual([])
})

it('a secret that cannot be decrypted is a failure that says what to do, and rotation mends it', async () => {
  const { id } = await create()
  await api.db.update(webhooks).set({ secret: 'unknown.AAAA' }).where(eq(webhooks.id, id))
  await emit()
  await run()
  expect(receiver.received).toHaveLength(0)
  expect(await deliveriesOf(id)).toMatchObject([
    { state: 'waiting', attempts: 1, last_attempt: { error: 'The secret cannot be decrypted: rotate it' } },
  ])
  const { body } = await api.call(contract.rotateWebhookSecret, { webhookId: id }, { as: owner, body: { overlap_s: 0 } })
  api.advance(5)
  await run()
  expect(receiver.received.map((one) => isSignedBy(one, body.secret))).toEqual([true])
  api.lines.length = 0
})

it('a secret that cannot be decrypted does not keep the new one from signing during the overlap of a rotation', async () => {
  const { id } = await create()
  await api.db.update(webhooks).set({ secret: 'unknown.AAAA' }).where(eq(webhooks.id, id))
  const { body } = await api.call(contract.rotateWebhookSecret, { webhookId: id }, { as: owner, body: { overlap_s: 86_400 } })
  expect(body.previous_secret_until).toBeNull()
  await emit()
  await run()
  expect(receiver.received.map((one) => isSignedBy(one, body.secret))).toEqual([true])
})

it('an attempt that fails at the former URL after the webhook got another one does not count for it', async () => {
  const { id } = await create()
  let arrived = () => {}
  const waiting = new Promise<void>((resolve) => (arrived = resolve))
  let answer = () => {}
  receiver.answers((response) => {
    answer = () => response.writeHead(500).end()
    arrived()
  })
  await emit()
  await api.db.update(webhookDeliveries).set({ attempts: 9 }).where(eq(webhookDeliveries.webhookId, id))
  const over = run()
  await waiting
  const body = { url: `${receiver.url}/next` }
  await api.call(contract.updateWebhook, { webhookId: id }, { as: owner, body, headers: { 'if-match': '"1"' } })
  answer()
  await over
  expect(await deliveriesOf(id)).toMatchObject([{ state: 'failed', attempts: 10, request: { url: receiver.url } }])
  expect(await listed()).toMatchObject([{ state: 'active', state_reason: null, failing_since: null }])
})

it('another URL gets what is waiting, and the failures of the former one do not count for it', async () => {
  const { id } = await create()
  receiver.answers(answerWith(500))
  await emit()
  await run()
  expect(await listed()).toMatchObject([{ failing_since: formatTimestamp(api.deps.clock()) }])
  const next = await openReceiver()
  onTestFinished(() => next.close())
  const headers = { 'if-match': '"1"' }
  const changed = await api.call(contract.updateWebhook, { webhookId: id }, { as: owner, body: { url: next.url }, headers })
  expect(changed.body).toMatchObject({ url: next.url, failing_since: null, revision: 2 })
  expect((await api.call(contract.updateWebhook, { webhookId: id }, { as: owner, body: { types }, headers })).status).toBe(412)
  api.advance(5)
  await run()
  expect(next.received).toHaveLength(1)
})

it('deleting a webhook deletes its deliveries, which nobody can read or send again', async () => {
  const { id } = await create()
  await emit()
  await run()
  const [delivery] = await deliveriesOf(id)
  await api.call(contract.deleteWebhook, { webhookId: id }, { as: owner })
  expect((await api.call(contract.webhookDeliveries, { webhookId: id }, { as: owner })).status).toBe(404)
  const again = await api.call(contract.resendDelivery, { webhookDeliveryId: delivery?.id ?? '' }, { as: owner })
  expect(again.status).toBe(404)
  await create()
  await emit()
  await deleteDeliveriesOfDeletedWebhooks(api.db)
  const left = await api.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.projectId, projectId))
  expect(left.map(({ webhookId }) => webhookId === id)).toEqual([false])
})

it('a delivery is deleted after 30 days, whatever became of it, and not before', async () => {
  const { id } = await create()
  await emit('rollout.halted', 'accepted')
  await run()
  receiver.answers(answerWith(500))
  await emit('rollout.halted', 'failing')
  await run()
  const left = async () => {
    await sweepPlumbing(api.deps)
    return api.db.$count(webhookDeliveries, eq(webhookDeliveries.webhookId, id))
  }
  api.advance(30 * 86_400 - 1)
  expect(await left()).toBe(2)
  api.advance(2)
  expect(await left()).toBe(0)
})

it('a transferred project sends to none of its webhooks until somebody enables them', async () => {
  const { id } = await create()
  const { publicId } = await api.organization(owner)
  const { body, headers } = await api.call(projectEndpoint, { projectId }, { as: owner })
  const moved = await api.call(
    transferProject,
    { projectId },
    { as: owner, body: { organization_id: publicId, confirm_name: body.name }, headers: { 'if-match': String(headers.etag) } },
  )
  expect(moved.status, moved.text).toBe(200)
  await emit()
  await run()
  expect(receiver.received).toHaveLength(0)
  expect(await listed()).toMatchObject([{ id, state: 'disabled', state_reason: 'The project was transferred' }])
})

it('many waiting deliveries are cancelled in steps, and those of a deleted project are deleted', async () => {
  const { id } = await create()
  await api.ownerDb.execute(`
    insert into webhook_deliveries (id, project_id, webhook_id, event_id, type, at, data, created_at, state, next_try_at)
    select 'many' || n, '${projectId}', '${id}', 'event', 'rollout.halted', now(), '{}', now(), 'waiting', now()
    from generate_series(1, 25000) as n`)
  await cancelDeliveries(api.db, id)
  const states = await api.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id))
  expect([states.length, ...new Set(states.map(({ state, nextTryAt }) => `${state} ${String(nextTryAt)}`))]).toEqual([
    25_000,
    'cancelled null',
  ])
  const { body, headers } = await api.call(projectEndpoint, { projectId }, { as: owner })
  const deleted = await api.call(
    deleteProject,
    { projectId },
    { as: owner, body: { confirm_name: body.name }, headers: { 'if-match': String(headers.etag) } },
  )
  expect(deleted.status, deleted.text).toBeLessThan(300)
  await deleteDeliveriesOfDeletedWebhooks(api.db)
  expect(await api.db.select().from(webhookDeliveries).where(eq(webhookDeliveries.webhookId, id))).toEqual([])
})

it('the example of docs/webhooks.md accepts what is sent, and refuses another secret, body, id and an old time', async () => {
  const guide = await readFile(join(root, 'docs/webhooks.md'), 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(guide) ?? []
  type Example = { isAuthentic: (secret: string, headers: object, body: string) => boolean }
  const { isAuthentic } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Example
  const { id, secret } = await create()
  const rotation = { as: owner, body: { overlap_s: 60 } }
  const { body: rotated } = await api.call(contract.rotateWebhookSecret, { webhookId: id }, rotation)
  await emit()
  await run()
  const [sent] = receiver.received
  if (!sent) throw new Error('nothing was received')
  const { headers, body } = sent
  expect([secret, rotated.secret].map((one) => isAuthentic(one, headers, body))).toEqual([true, true])
  expect(isAuthentic(`whsec_${'A'.repeat(43)}=`, headers, body)).toBe(false)
  expect(isAuthentic(secret, headers, `${body} `)).toBe(false)
  expect(isAuthentic(secret, { ...headers, 'webhook-id': 'another' }, body)).toBe(false)
  const old = String(Math.floor(Date.now() / 1000) - 301)
  const at = { ...headers, 'webhook-timestamp': old, 'webhook-signature': signDelivery([secret], sent.id, Number(old), body) }
  expect(isAuthentic(secret, at, body)).toBe(false)
})
