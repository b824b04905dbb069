import { and, eq } from 'drizzle-orm'
import { ulid } from 'ulid'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { rawSignature } from '../../contract/device/dsse'
import { open, seal } from '../../contract/device/manifest'
import { type PublicKey, publicKeyFromPem } from '../../contract/device/public-key'
import type { Maker } from '../../contract/shapes'
import { releaseSignatures, signingKeys } from '../database/schema/releases'
import type { Tx } from '../database/tx'
import { afterMove, moveRelease, type ReleaseRow } from '../delivery/release-moves'
import { changed } from '../http/entity'
import { refuse, refuseField } from '../http/refuse'

type Given = { keyId: string; signature: string; maker: Maker; now: Date }

const keyOf = async (tx: Tx, row: ReleaseRow, keyId: string, now: Date) => {
  const own = and(eq(signingKeys.id, keyId), eq(signingKeys.projectId, row.projectId))
  const [key] = await tx.select().from(signingKeys).where(own).for('update')
  if (!key) return refuseField('key_id', 'unknown_key', 'This project has no such key')
  if (key.purpose === 'secure_boot') return refuseField('key_id', 'wrong_purpose', 'This key does not sign releases')
  if (key.state !== 'active') return refuseField('key_id', 'not_active', `This key is ${key.state}`)
  if (key.expiresAt && key.expiresAt <= now) return refuseField('key_id', 'expired', 'This key has expired')
  return key
}

const bad = () => refuse(422, 'bad_signature', { message: 'The signature does not fit this manifest and this key' })

const rawOf = (key: PublicKey, base64: string) => {
  const bytes = fromBase64(base64)
  return (bytes && rawSignature(key.algorithm, bytes)) ?? bad()
}

/**
 * Takes a signature that was made elsewhere, if the reference verifier of the devices takes the envelope with it (release
 * rule 2, T-17). The first one makes the release ready.
 */
export const addSignature = async (tx: Tx, row: ReleaseRow, { keyId, signature, maker, now }: Given): Promise<string> => {
  afterMove(row.state, 'signature.verified')
  const key = await keyOf(tx, row, keyId, now)
  const publicKey = (await publicKeyFromPem(key.publicKeyPem)) ?? bad()
  const raw = rawOf(publicKey, signature)
  const payload = fromBase64(row.payload ?? '') ?? bad()
  const opened = await open(seal(payload, [{ fingerprint: publicKey.fingerprint, signature: raw }]), [publicKey])
  if (!opened.ok) return bad()
  if (!row.expiresAt || row.expiresAt <= now) refuse(409, 'manifest_expired', { message: 'The manifest has expired' })
  const { id, projectId } = row
  const made = {
    id: ulid(now.getTime()),
    projectId,
    releaseId: id,
    keyId,
    signature: toBase64(raw),
    signedAt: now,
    signedBy: maker,
  }
  const added = await tx.insert(releaseSignatures).values(made).onConflictDoNothing().returning({ id: releaseSignatures.id })
  if (added.length === 0) refuse(409, 'already_signed', { message: 'This key has signed this release already' })
  await tx
    .update(signingKeys)
    .set({ ...changed(now), lastUsedAt: now })
    .where(eq(signingKeys.id, key.id))
  await moveRelease(tx, row, 'signature.verified', now)
  return key.fingerprint
}
