import type { SigningKey } from '../../../contract/fleet/keys'
import type { Tx } from '../../core/database/tx'
import { countCoverage, getKey } from './repository'
import { signingKeyToJson } from './to-json'

/** A signing key as JSON, with the devices that trust it. */
export const readSigningKey = async (tx: Tx, id: string): Promise<SigningKey> => {
  const row = await getKey(tx, id)
  return signingKeyToJson(row, (await countCoverage(tx, [row])).get(id))
}
