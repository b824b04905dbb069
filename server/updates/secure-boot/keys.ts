import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { publicKeyFromPem } from '../../../contract/device/public-key'
import type { BundleKey, NewBundle } from '../../../contract/updates/secure-boot/bundles'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import { listKeysById } from '../../fleet/keys/repository'
import { findPublishedKey } from './checks/published-keys'
import { canonicalKey } from './formats/public-keys'
import type { BundleRow } from './repository'
import { isKnownTestKey } from '../../fleet/keys/known-test-keys'

type Given = NonNullable<NewBundle['keys']>[number]

const read = (pem: string): KeyObject | null => {
  try {
    return canonicalKey(createPublicKey(pem))
  } catch {
    return null
  }
}

const algorithmOf = ({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string => {
  if (asymmetricKeyType === 'rsa') return `rsa-${asymmetricKeyDetails?.modulusLength ?? 0}`
  return asymmetricKeyType === 'ec' ? `ecdsa-${asymmetricKeyDetails?.namedCurve ?? 'unknown'}` : (asymmetricKeyType ?? 'unknown')
}

/** The public keys of a bundle, read and written again, so that nothing around them is kept. */
export const resolveKeys = async (tx: Tx, projectId: string, given: readonly Given[]): Promise<BundleKey[]> => {
  const ids = given.flatMap(({ key_id }) => key_id ?? [])
  const known = new Map((ids.length === 0 ? [] : await listKeysById(tx, projectId, ids)).map((row) => [row.id, row]))
  const keys = await Promise.all(
    given.map(async ({ slot, key_id, public_key_pem, revoked = false }, n): Promise<BundleKey> => {
      const row = key_id === undefined ? undefined : known.get(key_id)
      if (key_id !== undefined && !row) return refuseField(`keys.${n}.key_id`, 'not_listed', 'The project has no such key')
      if (row?.purpose === 'release') refuseField(`keys.${n}.key_id`, 'not_for_secure_boot', 'This key is for releases only')
      const key = read(row?.publicKeyPem ?? public_key_pem ?? '')
      if (!key) return refuseField(`keys.${n}.public_key_pem`, 'pem', 'This public key cannot be read')
      const pem = String(key.export({ type: 'spki', format: 'pem' }))
      const spki = key.export({ type: 'spki', format: 'der' })
      const fingerprint = createHash('sha256').update(spki).digest('hex')
      return {
        slot,
        key_id: key_id ?? null,
        fingerprint,
        algorithm: row?.algorithm ?? algorithmOf(key),
        public_key_pem: pem,
        revoked: revoked || row?.state === 'revoked',
        is_known_test_key:
          findPublishedKey(fingerprint) !== undefined || isKnownTestKey((await publicKeyFromPem(pem))?.public_key ?? ''),
      }
    }),
  )
  return keys.toSorted((a, b) => a.slot - b.slot)
}

/** Those of the keys that are signing keys of the project and were revoked after the bundle had taken them over. */
export const findKeysRevokedSince = async (
  tx: Tx,
  { projectId, keys }: Pick<BundleRow, 'projectId' | 'keys'>,
): Promise<readonly BundleKey[]> => {
  const ids = keys.flatMap(({ key_id, revoked }) => (key_id === null || revoked ? [] : [key_id]))
  if (ids.length === 0) return []
  const rows = await listKeysById(tx, projectId, ids)
  const revoked = new Set(rows.flatMap(({ id, state }) => (state === 'revoked' ? [id] : [])))
  return keys.filter((key) => !key.revoked && key.key_id !== null && revoked.has(key.key_id))
}
