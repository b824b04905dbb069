import { expect, it } from 'vitest'
import { fromUtf8, utf8 } from './bytes'
import { sign } from './dsse'
import {
  createKeyListEnvelope,
  keyListBytes,
  type KeyListFacts,
  type KeyListPayload,
  keyListPayloadType,
  openKeyList,
} from './key-list'
import { openEnvelope, payloadType } from './manifest'
import { generateSigningKey, type SigningKey } from './private-key'

const projectId = '01JNV4E3S000000000000PR0J1'
const [first, second, third] = [
  await generateSigningKey('ed25519'),
  await generateSigningKey('ecdsa-p256'),
  await generateSigningKey('ed25519'),
]

const content = (changes: Partial<KeyListPayload> = {}): KeyListPayload => ({
  schema: 1,
  project_id: projectId,
  counter: 3,
  keys: [second.publicKey],
  revoked: [third.publicKey],
  ...changes,
})
const signed = async (payload: Uint8Array, by: SigningKey = first, type = keyListPayloadType) =>
  createKeyListEnvelope(payload, [await sign(by, type, payload)])
const trusted = [first.publicKey, second.publicKey, { ...third.publicKey, revoked: true }]
const open = async (envelope: unknown, facts: Partial<KeyListFacts> = {}) => {
  const opened = await openKeyList(envelope, trusted, { projectId, counter: 2, ...facts })
  return opened.ok ? 'taken' : opened.reason
}
const changed = (change: (list: Record<string, unknown>) => void): Uint8Array => {
  const list = JSON.parse(fromUtf8(keyListBytes(content()))) as Record<string, unknown>
  change(list)
  return keyListBytes(list as KeyListPayload)
}

type Row = [verdict: string, what: string, make: () => Promise<unknown>, facts: Partial<KeyListFacts>]
const rows: Row[] = [
  ['taken', 'by an Ed25519 key', () => signed(keyListBytes(content())), {}],
  ['taken', 'by a P-256 key', () => signed(keyListBytes(content()), second), {}],
  ['taken', 'that skips counters', () => signed(keyListBytes(content({ counter: 900 }))), {}],
  ['taken', 'of a project that the device does not know yet', () => signed(keyListBytes(content())), { projectId: null }],
  [
    'counter_too_high',
    'with a counter that the device could not report',
    () => signed(keyListBytes(content({ counter: 2 ** 31 }))),
    {},
  ],
  ['not_newer', 'with an equal counter', () => signed(keyListBytes(content())), { counter: 3 }],
  ['not_newer', 'with a lower counter', () => signed(keyListBytes(content())), { counter: 4 }],
  ['wrong_project', 'of another project', () => signed(keyListBytes(content())), { projectId: '01JNV4E3S000000000000PR0J2' }],
  ['key_revoked', 'by a revoked key', () => signed(keyListBytes(content()), third), {}],
  ['key_unknown', 'by an unknown key', async () => signed(keyListBytes(content()), await generateSigningKey('ed25519')), {}],
  [
    'signature_wrong',
    'that was changed after it was signed',
    async () => ({
      ...(await signed(keyListBytes(content()))),
      payload: Buffer.from(keyListBytes(content({ counter: 4 }))).toString('base64'),
    }),
    {},
  ],
  [
    'payload_type',
    'in an envelope for manifests',
    () => signed(keyListBytes(content())).then((one) => ({ ...one, payloadType })),
    {},
  ],
  ['signature_wrong', 'signed as a manifest', () => signed(keyListBytes(content()), first, payloadType), {}],
  ['envelope_malformed', 'without signatures', async () => ({ ...(await signed(keyListBytes(content()))), signatures: [] }), {}],
  ['envelope_malformed', 'that is no envelope', async () => 'list', {}],
  ['schema', 'that is not canonical', () => signed(utf8(JSON.stringify(content(), null, 2))), {}],
  ['schema', 'without keys', () => signed(keyListBytes(content({ keys: [] }))), {}],
  ['schema', 'with counter 0', () => signed(keyListBytes(content({ counter: 0 }))), { counter: -1 }],
  ['schema', 'with an unknown field', () => signed(changed((list) => (list['more'] = 1))), {}],
  ['schema', 'with one key as trusted and revoked', () => signed(keyListBytes(content({ revoked: [second.publicKey] }))), {}],
  [
    'schema',
    'with a fingerprint of another key',
    () => signed(keyListBytes(content({ keys: [{ ...second.publicKey, fingerprint: first.publicKey.fingerprint }] }))),
    {},
  ],
]
it.each(rows)('%s: a key list %s', async (verdict, _, make, facts) => {
  expect(await open(await make(), facts)).toBe(verdict)
})

it('a key list is no manifest, even if a trusted key signed it', async () => {
  const envelope = await signed(keyListBytes(content()))
  expect(await openEnvelope(envelope, trusted)).toMatchObject({ ok: false, reason: 'payload_type' })
  const disguised = { ...(await signed(keyListBytes(content()), first, payloadType)), payloadType }
  expect(await openEnvelope(disguised, trusted)).toMatchObject({ ok: false, reason: 'schema' })
})
