import canonicalize from 'canonicalize'
import { type Infer, is, literal, object, refine, size } from 'superstruct'
import { boundedList } from '../core/bounded'
import { boundedInteger } from '../core/rules'
import { Id } from '../core/shapes'
import { maxKeyListCounter } from './api'
import { type Bytes, fromUtf8, utf8 } from './bytes'
import { maxTrustedKeys } from './config-fields'
import { type Envelope, envelopeOf, type Signature } from './dsse'
import { openPayload, type TrustedKey } from './manifest'
import { fingerprintOf, PublicKey } from './public-key'

export const keyListPayloadType = 'application/vnd.teasel.key-list+json'
/** Only the latest revoked keys are listed: older ones are unknown to a device, which refuses them as well. */
export const maxRevokedKeys = 64

/**
 * The signed content: the keys that devices of a project trust from now on, and the revoked ones, which they refuse by name. The
 * counter only rises.
 */
export const KeyListPayload = refine(
  object({
    schema: literal(1),
    project_id: Id,
    counter: boundedInteger('Counter', 1),
    keys: size(boundedList(PublicKey, maxTrustedKeys), 1, maxTrustedKeys),
    revoked: boundedList(PublicKey, maxRevokedKeys),
  }),
  'distinct',
  ({ keys, revoked }) => {
    const all = [...keys, ...revoked].map(({ fingerprint }) => fingerprint)
    return new Set(all).size === all.length || 'Each key must be in the list once'
  },
)
export type KeyListPayload = Infer<typeof KeyListPayload>

/** The bytes that are signed and stored: RFC 8785 canonical JSON in UTF-8. */
export const keyListBytes = (list: KeyListPayload): Bytes => utf8(canonicalize(list) ?? '')

export const createKeyListEnvelope = (payload: Uint8Array, signatures: readonly Signature[]): Envelope =>
  envelopeOf(keyListPayloadType, payload, signatures)

/** Parses payload bytes; null if they are not the canonical form of a key list, or a fingerprint belongs to another key. */
export const readKeyList = async (payload: Uint8Array): Promise<KeyListPayload | null> => {
  let value: unknown
  try {
    const source = fromUtf8(payload)
    value = JSON.parse(source)
    if (canonicalize(value) !== source) return null
  } catch {
    return null
  }
  if (!is(value, KeyListPayload)) return null
  for (const key of [...value.keys, ...value.revoked]) if ((await fingerprintOf(key)) !== key.fingerprint) return null
  return value
}

/** Why a device refuses a key list. */
const refusals = {
  envelope_malformed: 'The envelope is not a DSSE envelope',
  payload_type: 'The envelope contains something other than a key list',
  key_unknown: 'No key of this device signed the key list',
  key_revoked: 'The key that signed the key list is revoked',
  signature_wrong: 'The signature does not match the key list',
  schema: 'The key list is not canonical JSON, or has missing or invalid fields',
  wrong_project: 'The key list is for another project',
  counter_too_high: 'The counter is above the highest that a device can report',
  not_newer: 'The counter is not above that of the key list of this device',
} as const
type KeyListRefusal = keyof typeof refusals
type RefusedList = { ok: false; reason: KeyListRefusal; message: string }

const refuse = (reason: KeyListRefusal): RefusedList => ({ ok: false, reason, message: refusals[reason] })
const isRefusal = (reason: string): reason is KeyListRefusal => reason in refusals

/** `projectId` null: not known yet, so the first signed list decides. `counter` 0: the device has no list yet. */
export type KeyListFacts = { projectId: string | null; counter: number }

/** The complete check of a key list by one device, with the keys that it trusts now. */
export const openKeyList = async (
  envelope: unknown,
  keys: readonly TrustedKey[],
  { projectId, counter }: KeyListFacts,
): Promise<{ ok: true; list: KeyListPayload; key: TrustedKey } | RefusedList> => {
  const opened = await openPayload(envelope, keyListPayloadType, keys)
  if (!opened.ok) return refuse(isRefusal(opened.reason) ? opened.reason : 'schema')
  const list = await readKeyList(opened.payload)
  if (!list) return refuse('schema')
  if (projectId !== null && list.project_id !== projectId) return refuse('wrong_project')
  if (list.counter > maxKeyListCounter) return refuse('counter_too_high')
  return list.counter > counter ? { ok: true, list, key: opened.key } : refuse('not_newer')
}
