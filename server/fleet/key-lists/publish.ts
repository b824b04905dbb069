import { type Bytes, fromBase64, toBase64 } from '../../../contract/device/bytes'
import { isSignatureOfBytes, rawSignature } from '../../../contract/device/dsse'
import { createKeyListEnvelope, openKeyList, readKeyList } from '../../../contract/device/key-list'
import { publicKeyFromPem } from '../../../contract/device/public-key'
import type { Author } from '../../../contract/core/shapes'
import { lockProject } from '../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../core/database/tx'
import { refuse, refuseField } from '../../core/http/refuse'
import { countKeySets, type KeyRow, updateKey } from '../keys/repository'
import { nextKeyList } from './next'
import { reachOf } from './reach'
import { findNewestKeyList, insertKeyList, listKeyLists, lockKeysOfProject, mostLostLists } from './repository'

/** Refuses a signer that no device trusts while devices trust another one: no device would take the list. */
const requireReach = async (tx: Tx, projectId: string, key: KeyRow, signers: readonly KeyRow[]) => {
  const fingerprints = signers.map(({ fingerprint }) => fingerprint)
  const reach = reachOf(await countKeySets(tx, projectId), await listKeyLists(tx, projectId), fingerprints)
  const devicesOf = ({ fingerprint }: KeyRow) => reach.find((one) => one.fingerprint === fingerprint)?.devices ?? 0
  const better = signers.filter((one) => devicesOf(one) > 0)
  if (devicesOf(key) > 0 || better.length === 0) return
  const others = better.map((one) => `${one.name} (${devicesOf(one)})`).join(', ')
  refuseField('key_id', 'untrusted', `No device trusts ${key.name} yet. Sign with a key that devices trust: ${others}`)
}

type Given = { projectId: string; payload: string; keyId: string; signature: string; author: Author; now: Date }

const bad = (code: string, message: string) =>
  refuse(422, 'bad_signature', { message, details: [{ field: 'signature_base64', code, message }] })

const changed = (why: string) => refuse(409, 'key_list_changed', { message: `${why}. Sign the current one` })

/**
 * Publishes the next key list, if the reference verifier of the devices accepts it. It has to be the one that follows from the
 * keys of now: a list that was made before another one, or before a key changed, is refused.
 */
export const publish = async (tx: Tx, { projectId, payload: base64, keyId, signature, author, now }: Given) => {
  const payload = fromBase64(base64) ?? refuseField('payload_base64', 'base64', 'The key list must be base 64')
  await lockProject(tx, projectId)
  const rows = await lockKeysOfProject(tx, projectId)
  const newest = await findNewestKeyList(tx, projectId)
  const known = newest?.counter ?? 0
  // What a device reports may change at any moment: any counter that a device could need is accepted.
  const counter = (await readKeyList(payload))?.counter ?? 0
  if (counter > 0 && counter <= known) return changed('Another list was published since this one was made')
  if (counter > known + mostLostLists + 1) return changed(`Key list ${counter} is far above the newest one, ${known}`)
  const next = await nextKeyList({ projectId, rows, newest, highest: counter - 1 })
  if (!next.payload || toBase64(next.payload) !== toBase64(payload))
    return changed('The keys of the project have changed since this list was made')
  const key = next.signers.find(({ id }) => id === keyId)
  if (!key) return refuseField('key_id', 'not_a_signer', 'Devices do not accept a list by this key. Choose one that they trust')
  await requireReach(tx, projectId, key, next.signers)
  const publicKey =
    (await publicKeyFromPem(key.publicKeyPem)) ??
    refuseField('key_id', 'unreadable', 'This key cannot be read. Register it again')
  const bytes: Bytes =
    fromBase64(signature) ?? bad('base64', 'The signature must be base 64. Copy the whole output of the command')
  const raw = rawSignature(publicKey.algorithm, bytes) ?? bad('length', 'This is not a whole signature. Copy it again')
  const envelope = createKeyListEnvelope(payload, [{ fingerprint: key.fingerprint, signature: raw }])
  const opened = await openKeyList(envelope, [publicKey], { projectId, counter: known })
  if (!opened.ok)
    return (await isSignatureOfBytes(publicKey, payload, raw))
      ? bad('bare_payload', 'This is a signature of the file alone. Sign with the command shown here, which signs its type too')
      : bad('other_bytes', 'This signature does not match. It was made with another key, or for an earlier list')
  await updateKey(tx, key.id, { lastUsedAt: now }, now)
  const row = await insertKeyList(
    tx,
    {
      projectId,
      counter: next.counter,
      envelope: JSON.stringify(envelope),
      signedBy: key.fingerprint,
      fingerprints: next.keys.map(({ fingerprint }) => fingerprint),
      createdBy: author,
    },
    now,
  )
  return { row, before: newest, rows }
}
