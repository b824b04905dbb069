import { nextId } from '../../../core/ids'
import { type Bytes, fromBase64, toBase64 } from '../../../../contract/device/bytes'
import { isSignatureOf, isSignatureOfBytes, rawSignature } from '../../../../contract/device/dsse'
import { openEnvelope, payloadType, createEnvelope } from '../../../../contract/device/manifest'
import { type PublicKey, publicKeyFromPem } from '../../../../contract/device/public-key'
import type { Author } from '../../../../contract/core/shapes'
import { listKeysOfProject, lockKeyOfProject, updateKey } from '../../../fleet/keys/repository'
import { signed } from './envelope'
import { insertSignature } from './repository'
import type { Tx } from '../../../core/database/tx'
import { afterMove, transitionRelease } from '../transitions'
import { type ReleaseRow } from '../repository'
import { refuse, refuseField } from '../../../core/http/refuse'

type Given = { keyId: string; signature: string; maker: Author; now: Date }

const keyOf = async (tx: Tx, row: ReleaseRow, keyId: string, now: Date) => {
  const key = await lockKeyOfProject(tx, row.projectId, keyId)
  if (!key) return refuseField('key_id', 'unknown_key', 'This project has no such key')
  if (key.purpose === 'secure_boot') return refuseField('key_id', 'wrong_purpose', 'This key does not sign releases')
  // A retiring key signs until it is retired: devices may lack the key that replaces it.
  if (key.state !== 'active' && key.state !== 'retiring') return refuseField('key_id', 'not_active', `This key is ${key.state}`)
  if (key.expiresAt && key.expiresAt <= now) return refuseField('key_id', 'expired', 'This key has expired')
  return key
}

const bad = (code: string, message: string) =>
  refuse(422, 'bad_signature', { message, details: [{ field: 'signature_base64', code, message }] })

const rawOf = (key: PublicKey, base64: string) => {
  const bytes = fromBase64(base64) ?? bad('base64', 'The signature must be base 64. Copy the whole output of the command')
  const expected = key.algorithm === 'ed25519' ? '64 bytes' : '64 bytes, or DER as openssl writes it'
  const text = `This has ${bytes.length} bytes; a signature by this key (${key.algorithm}) has ${expected}. Copy the whole signature`
  return rawSignature(key.algorithm, bytes) ?? bad('length', text)
}

type Tried = { key: PublicKey; raw: Bytes; payload: Bytes }

/** Which mistake explains a signature that does not verify: another key, the raw file, or other bytes. */
const explain = async (tx: Tx, row: ReleaseRow, { key, raw, payload }: Tried): Promise<never> => {
  if (await isSignatureOfBytes(key, payload, raw))
    return bad(
      'bare_payload',
      'This is a signature of manifest.json alone. Sign with the command shown here, which signs its type too',
    )
  const others = await listKeysOfProject(tx, row.projectId)
  for (const { name, publicKeyPem, fingerprint } of others) {
    const other = fingerprint === key.fingerprint ? null : await publicKeyFromPem(publicKeyPem)
    if (other && (await isSignatureOf(other, payloadType, payload, raw)))
      return bad('other_key', `This signature was made with the key ${name}. Choose that key or sign with the chosen one`)
  }
  return bad(
    'other_bytes',
    'This signature does not match. It was made with a key that is not registered here, or for other bytes, such as an earlier manifest. Download the manifest again, sign it with the chosen key and paste the output of the command',
  )
}

/**
 * Adds a signature that was made elsewhere, if the reference verifier of the devices accepts the envelope with it (T-17). The
 * first one makes the release ready.
 */
export const addSignature = async (tx: Tx, row: ReleaseRow, { keyId, signature, maker, now }: Given): Promise<string> => {
  afterMove(row.state, 'signature.verified')
  const key = await keyOf(tx, row, keyId, now)
  const publicKey =
    (await publicKeyFromPem(key.publicKeyPem)) ??
    refuseField('key_id', 'unreadable', 'This key cannot be read. Register it again')
  const raw = rawOf(publicKey, signature)
  const payload = fromBase64(row.payload ?? '') ?? refuse(409, 'conflict', { about: { state: row.state } })
  const opened = await openEnvelope(createEnvelope(payload, [{ fingerprint: publicKey.fingerprint, signature: raw }]), [
    publicKey,
  ])
  if (!opened.ok) return explain(tx, row, { key: publicKey, raw, payload })
  if (!row.expiresAt || row.expiresAt <= now) refuse(409, 'manifest_expired', { message: 'The manifest has expired' })
  const { id, projectId } = row
  const made = {
    id: nextId(now),
    projectId,
    releaseId: id,
    keyId,
    signature: toBase64(raw),
    signedAt: now,
    signedBy: maker,
  }
  const valid = (await signed(tx, [row])).get(row.id)?.signedBy ?? []
  if (!(await insertSignature(tx, made))) refuse(409, 'already_signed', { message: 'This key has already signed this release' })
  await updateKey(tx, key.id, { lastUsedAt: now }, now)
  // The reason was that its keys were revoked.
  await transitionRelease(tx, row, 'signature.verified', now, valid.length === 0 ? { stateReason: null } : {})
  return key.fingerprint
}
