import { keyListBytes, type KeyListPayload, maxRevokedKeys } from '../../../contract/device/key-list'
import { maxTrustedKeys } from '../../../contract/device/config-fields'
import { type PublicKey, publicKeyFromPem } from '../../../contract/device/public-key'
import type { keyListProblems } from '../../../contract/fleet/key-lists'
import type { KeyRow } from '../keys/repository'
import type { KeyListRow } from './repository'

/** Keys that count for releases: devices have to trust them. */
const isInForce = ({ state, purpose }: KeyRow) => (state === 'active' || state === 'retiring') && purpose !== 'secure_boot'

const publicKeysOf = async (rows: readonly KeyRow[]): Promise<PublicKey[]> => {
  const keys = await Promise.all(rows.map(({ publicKeyPem }) => publicKeyFromPem(publicKeyPem)))
  return keys.filter((key) => key !== null)
}

export type NextKeyList = {
  counter: number
  /** The keys of the list. */
  keys: KeyRow[]
  signers: KeyRow[]
  problem: (typeof keyListProblems)[number] | null
  /** The bytes to sign; null if there is a problem. The same keys give the same bytes, for whoever asks. */
  payload: Uint8Array<ArrayBuffer> | null
}

/** `highest`: the highest counter in use. */
type Facts = { projectId: string; rows: readonly KeyRow[]; newest: KeyListRow | undefined; highest: number }

const signersOf = (rows: readonly KeyRow[], newest: KeyListRow | undefined) =>
  rows.filter((row) => isInForce(row) && (!newest || newest.fingerprints.includes(row.fingerprint)))

/** Whether only this key can sign the list that follows the newest one. */
export const isLastSigner = (keyId: string, rows: readonly KeyRow[], newest: KeyListRow): boolean => {
  const signers = signersOf(rows, newest)
  return signers.length === 1 && signers[0]?.id === keyId
}

/** The list that follows the newest one, from the keys that the project has now. */
export const nextKeyList = async ({ projectId, rows, newest, highest }: Facts): Promise<NextKeyList> => {
  const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const inForce = ordered.filter(isInForce)
  const revoked = ordered.filter(({ state, purpose }) => state === 'revoked' && purpose !== 'secure_boot')
  // The first list is signed by a key of the devices' own configuration, each further one by a key of the list before.
  const signers = signersOf(ordered, newest)
  const counter = highest + 1
  const problem =
    inForce.length === 0
      ? 'no_key'
      : inForce.length > maxTrustedKeys
        ? 'too_many_keys'
        : signers.length === 0
          ? 'no_signer'
          : null
  const content: KeyListPayload = {
    schema: 1,
    project_id: projectId,
    counter,
    keys: await publicKeysOf(inForce),
    revoked: await publicKeysOf(revoked.slice(-maxRevokedKeys)),
  }
  return {
    counter,
    keys: inForce,
    signers,
    problem,
    payload: problem === null ? keyListBytes(content) : null,
  }
}
