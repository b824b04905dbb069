import { type PublicKey, publicKeyFromPem } from '../../../contract/device/public-key'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import { listKeysById } from '../keys/repository'

/**
 * The project's keys in the form of device.json, in the order of the form. Retired and revoked keys are refused: devices must
 * not start to trust them.
 */
export const trustedKeys = async (tx: Tx, projectId: string, ids: readonly string[]): Promise<PublicKey[]> => {
  const wanted = [...new Set(ids)]
  const rows = await listKeysById(tx, projectId, wanted)
  return Promise.all(
    wanted.map(async (id) => {
      const key = rows.find((row) => row.id === id)
      if (!key) return refuseField('public_key_ids', 'unknown_key', 'The project has no such key')
      if (key.state === 'retired' || key.state === 'revoked')
        return refuseField('public_key_ids', 'retired_key', `The key ${key.name} is ${key.state}`)
      const publicKey = await publicKeyFromPem(key.publicKeyPem)
      return publicKey ?? refuseField('public_key_ids', 'wrong_purpose', `The key ${key.name} cannot sign releases`)
    }),
  )
}
