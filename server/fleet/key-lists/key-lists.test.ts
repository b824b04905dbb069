import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../contract/device/bytes'
import { sign } from '../../../contract/device/dsse'
import * as wire from '../../../contract/device/endpoints'
import {
  keyListBytes,
  type KeyListPayload,
  keyListPayloadType,
  openKeyList,
  readKeyList,
} from '../../../contract/device/key-list'
import { payloadType } from '../../../contract/device/manifest'
import { generateSigningKey, type SigningKey } from '../../../contract/device/private-key'
import { pemOf } from '../../../contract/device/public-key'
import * as contract from '../../../contract/fleet/key-lists'
import * as keys from '../../../contract/fleet/keys'
import { projectAuditLog } from '../../../contract/accounts/audit'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { checkInBody } from '../../../tests/support/devices'
import type { Person } from '../../../tests/support/people'
import { createTestObjects } from '../../../tests/support/test-objects'
import { devices } from '../schema/devices'

let api: TestApi
let ann: Person
let projectId: string
let fleets = 0
beforeAll(async () => {
  api = await createTestApi()
  ann = await api.person()
})
afterAll(() => api.close())
beforeEach(async () => {
  projectId = await api.project({ ownerId: ann.id }, `Fleet ${++fleets}`)
})

type Registered = { key: SigningKey; id: string; fingerprint: string }
const register = async (name: string, algorithm: 'ed25519' | 'ecdsa-p256' = 'ed25519'): Promise<Registered> => {
  const key = await generateSigningKey(algorithm)
  const body = { name, algorithm, public_key_pem: pemOf(key.publicKey) }
  const made = await api.call(keys.createSigningKey, { projectId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  return { key, id: made.body.id, fingerprint: key.publicKey.fingerprint }
}
const facts = async () => (await api.call(contract.keyRotation, { projectId }, { as: ann })).body
const signed = async ({ key, id }: Registered, payload: string, type = keyListPayloadType) => {
  const { signature } = await sign(key, type, fromBase64(payload) ?? new Uint8Array())
  return { payload_base64: payload, key_id: id, signature_base64: toBase64(signature) }
}
const send = (body: Awaited<ReturnType<typeof signed>>) => api.call(contract.publishKeyList, { projectId }, { as: ann, body })
const payload = async () => (await facts()).next.to_sign?.payload_base64 ?? ''
const publish = async (by: Registered) => {
  const published = await send(await signed(by, await payload()))
  expect(published.status, published.text).toBe(201)
  return published.body
}
type Step = typeof keys.retireSigningKey | typeof keys.replaceSigningKey | typeof keys.keepSigningKey
const step = async (endpoint: Step, { id: signingKeyId }: Registered) => {
  const changed = await api.call(endpoint, { signingKeyId }, { as: ann })
  expect(changed.status, changed.text).toBe(200)
  return changed.body.state
}
const revoke = ({ id: signingKeyId }: Registered) =>
  api.call(keys.revokeSigningKey, { signingKeyId }, { as: ann, body: { reason: 'Lost' } })
const device = () => createTestObjects(api.deps).device(projectId)
type Device = Awaited<ReturnType<typeof device>>
const checkIn = async (as: Device, counter: number, trusted: readonly Registered[]) => {
  const body = checkInBody({ key_list_counter: counter, trusted_keys: trusted.map(({ fingerprint }) => fingerprint) })
  const answer = await api.call(wire.checkIn, {}, { as, body })
  expect(answer.status, answer.text).toBe(200)
  return answer.body.key_list_available
}
const fetchList = async (as: Device, counter: number) => {
  const answer = await api.call(wire.keyList, {}, { as, query: { counter } })
  return answer.status === 204 ? null : (JSON.parse(answer.text) as { payload: string })
}
const counterOf = async (envelope: { payload: string } | null) =>
  envelope && (await readKeyList(fromBase64(envelope.payload) ?? new Uint8Array()))?.counter

it('the first list is signed by a key in force, and contains all of them', async () => {
  const [first, second] = [await register('First'), await register('Second', 'ecdsa-p256')]
  const before = await facts()
  expect([before.newest, before.next.counter, before.next.problem]).toEqual([null, 1, null])
  expect(before.next.added.map(({ name }) => name)).toEqual(['First', 'Second'])
  expect(before.next.signers).toEqual([first.id, second.id])
  const list = await publish(second)
  expect(list).toMatchObject({ counter: 1, created_by: { id: ann.id }, signed_by: { name: 'Second' } })
  expect(list.keys.map(({ name }) => name)).toEqual(['First', 'Second'])
  const after = await facts()
  expect([after.newest?.counter, after.next.counter, after.next.added, after.next.removed]).toEqual([1, 2, [], []])
})

it('a list by a key that no device trusts is refused while devices trust another one, and names that', async () => {
  const [first, second] = [await register('First'), await register('Second')]
  const [north, south] = [await device(), await device()]
  await checkIn(north, 0, [first])
  await checkIn(south, 0, [first])
  const { reach, stranded } = (await facts()).next
  expect(reach.map(({ key_id, devices: n, left_behind }) => [key_id, n, left_behind.count])).toEqual([
    [first.id, 2, 0],
    [second.id, 0, 2],
  ])
  expect(reach[1]?.left_behind.devices.map(({ id }) => id).toSorted()).toEqual([north.id, south.id].toSorted())
  expect(stranded).toBe(0)
  const refused = await send(await signed(second, await payload()))
  expect([refused.status, refused.error.details]).toEqual([
    422,
    [
      {
        field: 'key_id',
        code: 'untrusted',
        message: 'No device trusts Second yet. Sign with a key that devices trust: First (2)',
      },
    ],
  ])
  await publish(first)
  // Offline devices take it before the next one: their present keys do not decide.
  expect((await facts()).next.reach.map(({ devices: n }) => n)).toEqual([2, 2])
})

it('a list that leaves devices behind is published again with the same keys, signed by a key that they trust', async () => {
  const [first, second] = [await register('First'), await register('Second')]
  await publish(second)
  const [old, fresh] = [await device(), await device()]
  expect(await checkIn(old, 0, [first])).toBe(false)
  expect(await checkIn(fresh, 0, [second])).toBe(true)
  const { coverage, next } = await facts()
  expect(coverage.missing.map(({ id, follows }) => [id, follows])).toContainEqual([old.id, false])
  expect([next.stranded, next.reach.map(({ devices: n, left_behind: { count } }) => [n, count])]).toEqual([
    1,
    [
      [2, 0],
      [1, 1],
    ],
  ])
  expect((await publish(first)).counter).toBe(2)
  expect(await checkIn(old, 0, [first])).toBe(true)
  expect(await counterOf(await fetchList(old, 0))).toBe(2)
  expect((await facts()).next.stranded).toBe(0)
})

it('a list is signed by a key of the list before that is neither retired nor revoked', async () => {
  const first = await register('First')
  await publish(first)
  const second = await register('Second')
  expect((await facts()).next.signers).toEqual([first.id])
  const early = await send(await signed(second, await payload()))
  expect([early.status, early.error.details?.[0]?.code]).toEqual([422, 'not_a_signer'])
  await publish(first)
  expect(await step(keys.retireSigningKey, first)).toBe('retired')
  expect((await facts()).next).toMatchObject({ signers: [second.id], removed: [{ name: 'First' }] })
  const late = await send(await signed(first, await payload()))
  expect(late.error.details?.[0]?.code).toBe('not_a_signer')
  await publish(second)
})

it('no list can follow when the only listed key is revoked, and the facts say so', async () => {
  const first = await register('First')
  await publish(first)
  const second = await register('Second')
  expect((await revoke(first)).status).toBe(200)
  expect((await facts()).next).toMatchObject({ problem: 'no_signer', signers: [], to_sign: null })
  expect((await revoke(second)).status).toBe(200)
  expect((await facts()).next.problem).toBe('no_key')
})

it('more keys than a device can hold are not published', async () => {
  for (let n = 0; n < 9; n++) await register(`Key ${n}`)
  expect((await facts()).next).toMatchObject({ problem: 'too_many_keys', to_sign: null })
})

it('a list that was signed before a key changed, or before another list, is refused', async () => {
  const first = await register('First')
  const early = await signed(first, await payload())
  const second = await register('Second')
  expect(await send(early)).toMatchObject({ status: 409, error: { code: 'key_list_changed' } })
  const one = await signed(first, await payload())
  expect((await send(one)).status).toBe(201)
  expect(await send(one)).toMatchObject({ status: 409, error: { code: 'key_list_changed' } })
  const two = await signed(first, await payload())
  await revoke(second)
  expect(await send(two)).toMatchObject({ status: 409, error: { code: 'key_list_changed' } })
})

it('of lists that are published at once, one counts', async () => {
  const first = await register('First')
  const body = await signed(first, await payload())
  const answers = await Promise.all(Array.from({ length: 5 }, () => send(body)))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409])
})

it.each([
  [
    'of the bare file',
    'bare_payload',
    async ({ key }: Registered, text: string) => {
      const bytes = fromBase64(text) ?? new Uint8Array()
      return new Uint8Array(await crypto.subtle.sign({ name: 'Ed25519' }, key.privateKey, bytes))
    },
  ],
  [
    'as a manifest',
    'other_bytes',
    async ({ key }: Registered, text: string) => (await sign(key, payloadType, fromBase64(text) ?? new Uint8Array())).signature,
  ],
  ['that is too short', 'length', async () => new Uint8Array(40)],
] as const)('a signature %s is refused with what is wrong', async (_, code, make) => {
  const first = await register('First')
  const text = await payload()
  const refused = await send({ payload_base64: text, key_id: first.id, signature_base64: toBase64(await make(first, text)) })
  expect([refused.status, refused.error.details?.[0]?.code]).toEqual([422, code])
})

it('a device is told of a list only if a key that it trusts has signed one above its own', async () => {
  const [first, stranger] = [await register('First'), { id: '', fingerprint: '0'.repeat(64) } as Registered]
  const [follower, outsider] = [await device(), await device()]
  expect(await checkIn(follower, 0, [first])).toBe(false)
  await publish(first)
  expect(await checkIn(follower, 0, [first])).toBe(true)
  expect(await checkIn(follower, 1, [first])).toBe(false)
  expect(await checkIn(outsider, 0, [stranger])).toBe(false)
  expect([await fetchList(outsider, 0), await fetchList(follower, 1)]).toEqual([null, null])
  expect((await facts()).coverage).toMatchObject({ total: 2, trusting: 1, missing: [{ id: outsider.id, follows: false }] })
})

it('a list of another project, signed by a key that the device trusts, does not lead to it', async () => {
  const here = projectId
  projectId = await api.project({ ownerId: ann.id }, 'Elsewhere')
  const foreign = await register('Foreign')
  await publish(foreign)
  projectId = here
  await publish(await register('First'))
  const lost = await device()
  expect(await checkIn(lost, 0, [foreign])).toBe(false)
  expect((await facts()).coverage.missing).toMatchObject([{ id: lost.id, follows: false }])
})

it('clients of the DDI protocol, which know no keys of a project, are not waited for', async () => {
  const first = await register('First')
  await publish(first)
  const { id } = await device()
  const coverage = async () => (await facts()).coverage.total
  const trust = async () => (await api.call(keys.signingKeyCoverage, { signingKeyId: first.id }, { as: ann })).body.total
  expect([await coverage(), await trust()]).toEqual([1, 1])
  await api.db.update(devices).set({ protocol: 'ddi' }).where(eq(devices.id, id))
  expect([await coverage(), await trust()]).toEqual([0, 0])
})

it('a device that holds only the first key follows several rotations, list by list where it must', async () => {
  const first = await register('First')
  const second = await register('Second')
  await publish(first)
  await revoke(first)
  await publish(second)
  const third = await register('Third')
  await publish(second)
  await step(keys.retireSigningKey, second)
  await publish(third)
  const late = await device()
  expect(await checkIn(late, 0, [first])).toBe(true)
  const lists = [await fetchList(late, 0), await fetchList(late, 1), await fetchList(late, 3)]
  expect(await Promise.all(lists.map(counterOf))).toEqual([1, 3, 4])
  const opened = await openKeyList(lists[2], [second.key.publicKey, third.key.publicKey], { projectId, counter: 3 })
  expect(opened).toMatchObject({ ok: true, list: { keys: [third.key.publicKey], revoked: [first.key.publicKey] } })
  expect((await facts()).coverage.missing).toMatchObject([{ id: late.id, follows: true }])
  expect(await checkIn(late, 4, [third])).toBe(false)
  expect((await facts()).coverage).toEqual({ total: 1, trusting: 1, missing: [], ahead: [] })
})

it('a device that holds a new key from its device.json gets no older list, which could bring back a dropped key', async () => {
  const [first, second] = [await register('First'), await register('Second')]
  await publish(second)
  await step(keys.retireSigningKey, first)
  await publish(second)
  const fresh = await device()
  expect(await checkIn(fresh, 0, [second])).toBe(true)
  expect(await counterOf(await fetchList(fresh, 0))).toBe(2)
})

it('devices that hold a list that a restored backup has lost take the next one, which is numbered above theirs', async () => {
  const first = await register('First')
  await publish(first)
  const ahead = await device()
  expect(await checkIn(ahead, 4, [first])).toBe(false)
  await register('Second')
  expect((await facts()).next.counter).toBe(5)
  expect((await publish(first)).counter).toBe(5)
  expect(await checkIn(ahead, 4, [first])).toBe(true)
  expect(await counterOf(await fetchList(ahead, 4))).toBe(5)
  // One device must not use up the counters of all.
  await checkIn(await device(), 2_000_000_000, [first])
  expect((await facts()).next.counter).toBe(6)
})

it('a device whose counter changes between showing and publishing stops nobody, and the page names who is ahead', async () => {
  const first = await register('First')
  const restless = await device()
  await checkIn(restless, 3, [first])
  const shown = await payload()
  await checkIn(restless, 900, [first])
  const made = await signed(first, shown)
  expect((await send(made)).body.counter).toBe(4)
  expect((await send(made)).error.message).toBe('Another list was published since this one was made. Sign the current one')
  const { coverage, next } = await facts()
  expect(coverage.ahead).toMatchObject([{ id: restless.id, counter: 900 }])
  expect(next.counter).toBe(901)
  // The next list reaches it. One with a counter that nobody needs would use up those of the project.
  const far = { ...(await readKeyList(fromBase64(await payload()) ?? new Uint8Array())), counter: 2000 } as KeyListPayload
  const unneeded = await send(await signed(first, toBase64(keyListBytes(far))))
  expect([unneeded.status, unneeded.error.code]).toEqual([409, 'key_list_changed'])
  expect((await publish(first)).counter).toBe(901)
  expect((await facts()).coverage.ahead).toEqual([])
})

it('a counter that no list can have is refused', async () => {
  const body = checkInBody({ key_list_counter: 2 ** 31, trusted_keys: [] })
  const answer = await api.call(wire.checkIn, {}, { as: await device(), body })
  expect([answer.status, answer.error.details[0]?.field]).toEqual([422, 'key_list_counter'])
  const fetched = await api.call(wire.keyList, {}, { as: await device(), query: { counter: 2 ** 31 } })
  expect(fetched.status).toBe(422)
})

it('a key that is to be replaced signs until it is retired, and can be kept', async () => {
  const first = await register('First')
  await register('Second')
  expect(await step(keys.replaceSigningKey, first)).toBe('retiring')
  expect((await api.call(keys.replaceSigningKey, { signingKeyId: first.id }, { as: ann })).status).toBe(409)
  await publish(first)
  expect(await step(keys.keepSigningKey, first)).toBe('active')
  const { body: log } = await api.call(projectAuditLog, { projectId }, { as: ann, query: { limit: 1 } })
  expect(log.entries[0]).toMatchObject({ action: 'key.keep', target: { id: first.id } })
  expect((await api.call(keys.keepSigningKey, { signingKeyId: first.id }, { as: ann })).status).toBe(409)
  expect(await step(keys.retireSigningKey, first)).toBe('retired')
  expect((await api.call(keys.keepSigningKey, { signingKeyId: first.id }, { as: ann })).status).toBe(409)
})

it('lists belong to their project', async () => {
  await publish(await register('First'))
  const first = projectId
  projectId = await api.project({ ownerId: ann.id }, 'Other')
  const other = await register('Second')
  expect((await facts()).next.counter).toBe(1)
  const elsewhere = await signed(other, await payload())
  projectId = first
  expect(await send(elsewhere)).toMatchObject({ status: 409, error: { code: 'key_list_changed' } })
})

it('the only key that can sign the next list is not retired: no list could follow the newest one', async () => {
  const first = await register('First')
  await publish(first)
  const later = await register('Later')
  const retire = ({ id: signingKeyId }: Registered) => api.call(keys.retireSigningKey, { signingKeyId }, { as: ann })
  const refused = await retire(first)
  expect([refused.status, refused.error.code, refused.error.message]).toEqual([
    409,
    'last_signer',
    'Only this key can sign the next key list. Publish a list that contains another key first',
  ])
  expect((await facts()).next.problem).toBe(null)
  await publish(first)
  // Both could sign now, and only one of them is retired.
  const both = await Promise.all([retire(first), retire(later)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  expect((await facts()).next.problem).toBe(null)
})
