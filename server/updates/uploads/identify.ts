import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'
import type { Identity } from './metadata'
import { isUploadOpen, updateIdentityIfSame } from './repository'

/** Stores once which file an upload is of; 412 for the bytes of another one, which would be mixed with the received ones. */
export const identify = async (tx: Tx, id: string, identity: Identity): Promise<void> => {
  if (identity.sha256 === undefined && identity.fingerprint === undefined) return
  if (await updateIdentityIfSame(tx, id, identity)) return
  // An ended upload is refused, or answered, by the protocol.
  if (await isUploadOpen(tx, id)) refuse(412, 'other_content')
}
